#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Rows that are collected for COPY", .needsServer)
struct CollectedRowTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }

    init() throws {
        database = try TestDatabase()
        try database.connection.run("CREATE TABLE t (number bigint, name text, size smallint)")
    }

    private static let types: [PostgresType] = [.int8, .text, .int2]

    private func collect(_ range: Range<Int>, in rows: inout CopyWriter) throws {
        for number in range {
            try rows.beginRow()
            expect(rows.write(Int64(number)))
            let isWritten = number % 3 == 0 ? rows.writeNull() : rows.write(String(repeating: "é", count: number % 7))
            #expect(isWritten)
            expect(rows.write(Int64(number % 100)))
        }
        try rows.endRow()
    }

    private func sum() throws -> [Int64?] {
        let result = try connection.run(
            "SELECT count(*), sum(number)::bigint, sum(length(name))::bigint, sum(size)::bigint FROM t")
        return try (0..<4).map { try result.int64(0, column: $0) }
    }

    @Test func `rows are sent while they are collected, and are kept`() throws {
        var rows = CopyWriter(collecting: Self.types)
        let copy = try connection.beginCopyIn(into: "t (number, name, size)")
        var sent = 0
        for start in stride(from: 0, to: 3000, by: 1000) {
            try collect(start..<start + 1000, in: &rows)
            try connection.send(UnsafeRawBufferPointer(rebasing: rows.bytes[sent...]), by: copy)
            sent = rows.byteCount
        }
        let error = serverError { try connection.run("SELECT 1") }
        #expect(error?.kind == .misuse)
        #expect(try connection.endCopyIn(copy) == 3000)
        let found = try sum()
        #expect(found[0] == 3000 && found[1] == 4_498_500)
        // The same rows once more, as arrays.
        try connection.run("CREATE TABLE u (LIKE t)")
        let parameters = Parameters()
        let offsets = rows.fieldOffsets
        for column in 0..<3 {
            expect(parameters.append(column, of: rows, offsets: offsets, at: Array(0..<rows.rowCount)))
        }
        try connection.run("INSERT INTO u SELECT * FROM unnest($1, $2, $3)", with: parameters)
        let difference = try connection.run("SELECT count(*) FROM (TABLE t EXCEPT TABLE u) d")
        #expect(try difference.int64(0, column: 0) == 0)
        expect(rows.field(at: offsets[3 * 3 + 1]) == nil && rows.field(at: offsets[4 * 3 + 1])?.count == 8)
    }

    @Test func `an abandoned COPY writes nothing, and the connection continues`() throws {
        var rows = CopyWriter(collecting: Self.types)
        try collect(0..<10, in: &rows)
        try connection.begin(TransactionOptions())
        let savepoint = try connection.openSavepoint()
        let copy = try connection.beginCopyIn(into: "t (number, name, size)")
        try connection.send(rows.bytes, by: copy)
        connection.abandonCopyIn(copy)
        connection.rollBack(to: savepoint)
        #expect(try sum()[0] == 0)
        let second = try connection.beginCopyIn(into: "t (number, name, size)")
        try connection.send(rows.bytes, by: second)
        #expect(try connection.endCopyIn(second) == 10)
        // Nothing is left to end.
        connection.abandonCopyIn(second)
        expect(serverError { try connection.endCopyIn(second) }?.kind == .misuse)
        try connection.commit()
        #expect(try sum()[0] == 10)
        expect(serverError { _ = try connection.beginCopyIn(into: "missing (number)") }?.kind == .statement)
        #expect(try sum()[0] == 10)
    }

    @Test func `a server that rejects a row says so at the end`() throws {
        try connection.run("CREATE UNIQUE INDEX ON t (number)")
        var rows = CopyWriter(collecting: Self.types)
        try collect(0..<10, in: &rows)
        try collect(5..<6, in: &rows)
        let copy = try connection.beginCopyIn(into: "t (number, name, size)")
        try connection.send(rows.bytes, by: copy)
        let error = serverError { try connection.endCopyIn(copy) }
        #expect(error?.kind == .uniqueViolation)
        #expect(try sum()[0] == 0)
    }

    @Test func `rows are abandoned, removed, and made of known fields`() throws {
        var rows = CopyWriter(collecting: [.int8, .int2, .text])
        try rows.beginRow()
        expect(rows.write(7 as Int64) && rows.write(1 as Int64) && rows.write("x"))
        let fields = rows.collectedFields
        try rows.beginRow()
        expect(rows.write(8 as Int64))
        rows.abandonRow()
        expect(rows.rowCount == 1 && rows.fieldOffsets.count == 3)
        try rows.beginRow()
        expect(rows.write(fields: fields, count: 3) && !rows.write(1 as Int64))
        try rows.endRow()
        expect(rows.rowCount == 2)
        let offsets = rows.fieldOffsets
        expect(rows.field(at: offsets[5]).map { Array($0) } == [UInt8(ascii: "x")])
        try rows.beginRow()
        expect(serverError { try rows.endRow() }?.kind == .misuse)
        rows.removeAll()
        expect(rows.rowCount == 0 && rows.byteCount == 0 && rows.fieldOffsets.isEmpty)
    }
}
#endif
