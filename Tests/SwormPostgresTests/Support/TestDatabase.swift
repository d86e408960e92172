#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

extension Trait where Self == ConditionTrait {
    /// Skips tests where there is no server.
    static var needsServer: Self {
        .enabled(if: PostgresServer.isEnabled, "\(PostgresServer.missing)")
    }
}

/// A schema of one test on the server of all tests, removed at its end.
final class TestDatabase {
    let server: PostgresServer
    let schema: String
    let connection: PostgresConnection

    init(_ change: (inout PostgresAddress) -> Void = { _ in }) throws {
        server = try PostgresServer.shared()
        schema = server.newSchema()
        connection = try PostgresConnection.open(Self.address(server, schema, change))
        try connection.run("CREATE SCHEMA \(schema)")
        try connection.run("SET search_path = \(schema)")
    }

    deinit {
        // The connection of the test may be lost.
        let cleaner = try? PostgresConnection.open(Self.address(server, schema) { _ in })
        _ = try? cleaner?.run("SET client_min_messages = error")
        _ = try? cleaner?.run("DROP SCHEMA \(schema) CASCADE")
    }

    private static func address(
        _ server: PostgresServer, _ schema: String, _ change: (inout PostgresAddress) -> Void
    ) -> PostgresAddress {
        var address = PostgresAddress(
            hosts: [.init(server.folder.path, port: server.port)], database: "postgres", user: server.user)
        address.schema = schema
        change(&address)
        return address
    }

    func address(_ change: (inout PostgresAddress) -> Void = { _ in }) -> PostgresAddress {
        Self.address(server, schema, change)
    }

    /// A further connection, which sees the tables of the test.
    func connect(_ change: (inout PostgresAddress) -> Void = { _ in }) throws -> PostgresConnection {
        let connection = try PostgresConnection.open(address(change))
        try connection.run("SET search_path = \(schema)")
        return connection
    }
}

extension PostgresConnection {
    /// The first column of the first row.
    func integer(_ sql: String, _ parameters: Parameters? = nil) throws -> Int64? {
        try run(sql, with: parameters).int64(0, column: 0)
    }

    func string(_ sql: String, _ parameters: Parameters? = nil) throws -> String? {
        try run(sql, with: parameters).string(0, column: 0)
    }

    /// The first column of all rows.
    func integers(_ sql: String) throws -> [Int64?] {
        let result = try run(sql)
        return try (0..<result.rowCount).map { try result.int64($0, column: 0) }
    }
}

/// Parameters that the body appends.
func parameters(_ body: (Parameters) -> Void) -> Parameters {
    let parameters = Parameters()
    body(parameters)
    return parameters
}

/// Parameters of integers.
func integers(_ values: Int64...) -> Parameters {
    parameters { parameters in for value in values { parameters.append(value) } }
}

/// The error that the body throws, as a ServerError.
func serverError<R>(_ body: () throws -> R) -> ServerError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? ServerError
    }
}

/// A seed for random values, which is printed, or the one in SWORM_SEED.
func seededRandom(_ name: String = #function) -> SeededRandom {
    let given = ProcessInfo.processInfo.environment["SWORM_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64.max)
    print("\(name): SWORM_SEED=\(seed)")
    return SeededRandom(seed: seed)
}
#endif
