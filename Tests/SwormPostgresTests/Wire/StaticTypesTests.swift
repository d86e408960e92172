#if PostgreSQL
import Testing

@testable import SwormPostgres

@Suite("The server's types", .needsServer)
struct StaticTypesTests {
    @Test func `the numbers are those of the server`() throws {
        let connection = try TestDatabase().connection
        let types: [(PostgresType, String)] = [
            (.bool, "bool"), (.bytea, "bytea"), (.char, "char"), (.name, "name"), (.int8, "int8"), (.int2, "int2"),
            (.int4, "int4"), (.text, "text"), (.oid, "oid"), (.json, "json"), (.float4, "float4"), (.float8, "float8"),
            (.void, "void"), (.bpchar, "bpchar"), (.varchar, "varchar"), (.timestamptz, "timestamptz"),
            (.numeric, "numeric"), (.uuid, "uuid"), (.jsonb, "jsonb"), (.xid8, "xid8"),
        ]
        for (type, name) in types {
            let number = try connection.integer("SELECT oid::bigint FROM pg_type WHERE typname = '\(name)'")
            #expect(number == Int64(type.rawValue), "\(name)")
            guard let array = type.array else { continue }
            let arrayNumber = try connection.integer("SELECT typarray::bigint FROM pg_type WHERE typname = '\(name)'")
            #expect(arrayNumber == Int64(array.rawValue), "\(name)")
            #expect(array.element == type)
        }
    }
}
#endif
