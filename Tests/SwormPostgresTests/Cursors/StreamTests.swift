#if PostgreSQL
import Foundation
import SwormRows
import Testing

@testable import SwormPostgres

@Suite("Streams", .needsServer)
struct StreamTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws { database = try TestDatabase() }

    private func series(_ count: Int) -> SQLStatement {
        SQLStatement("SELECT n FROM generate_series(1, $1) AS n", with: integers(Int64(count)))
    }

    private func numbers(of sql: String) throws -> [Int64?] {
        var numbers: [Int64?] = []
        try connection.stream(SQLStatement(sql)) { part in
            for row in 0..<part.rowCount { numbers.append(try part.int64(row, column: 0)) }
        }
        return numbers
    }

    @Test func `a stream returns all rows in parts`() throws {
        for count in [0, 1, 500] {
            for _ in 0..<3 {
                var numbers: [Int64?] = []
                try connection.stream(series(count)) { part in
                    for row in 0..<part.rowCount { numbers.append(try part.int64(row, column: 0)) }
                }
                #expect(numbers == (0..<count).map { Int64($0) + 1 })
            }
        }
        try connection.transaction(TransactionOptions()) {
            var sum: Int64 = 0
            try connection.stream(series(10)) { part in
                for row in 0..<part.rowCount { sum += try part.int64(row, column: 0) ?? 0 }
            }
            #expect(sum == 55)
        }
    }

    @Test func `no statement runs inside of a stream, and an error of the body ends it`() throws {
        struct Stop: Error {}
        #expect(
            serverError { try connection.stream(series(10)) { _ in try connection.run("SELECT 1") } }?.kind == .misuse)
        for isInTransaction in [false, true] {
            if isInTransaction { try connection.begin(TransactionOptions()) }
            #expect(throws: Stop.self) { try connection.stream(series(100_000)) { _ in throw Stop() } }
            #expect(try connection.integer("SELECT 1::bigint") == 1)
            connection.rollback()
        }
        #expect(
            serverError {
                try connection.stream(SQLStatement("SELECT 1 / (5 - n) FROM generate_series(1, 9) AS n")) { _ in }
            }?.kind == .divisionByZero)
        #expect(try connection.integer("SELECT 1::bigint") == 1)
    }

    @Test func `a changed type is noticed in silence before the first row`() throws {
        try connection.run("CREATE TABLE t (n int)")
        try connection.run("INSERT INTO t VALUES (5)")
        for _ in 0..<3 { #expect(try numbers(of: "SELECT n FROM t") == [5]) }
        try database.connect().run("ALTER TABLE t ALTER n TYPE bigint")
        for _ in 0..<2 { #expect(try numbers(of: "SELECT n FROM t") == [5]) }
        try database.connect().run("ALTER TABLE t ALTER n TYPE smallint")
        try connection.transaction(TransactionOptions()) { () throws in
            #expect(try numbers(of: "SELECT n FROM t") == [5])
            #expect(try connection.string("SHOW transaction_isolation") == "repeatable read")
        }
        try connection.run("DEALLOCATE ALL")
        #expect(try numbers(of: "SELECT n FROM t") == [5])
    }

    @Test func `a changed type is a conflict inside of a transaction, once`() throws {
        try connection.run("CREATE TABLE t (n int)")
        for _ in 0..<3 { _ = try numbers(of: "SELECT n FROM t") }
        try connection.begin(TransactionOptions(.readCommitted))
        try connection.run("SELECT 1")
        try database.connect().run("ALTER TABLE t ALTER n TYPE bigint")
        let error = try #require(serverError { try numbers(of: "SELECT n FROM t") })
        #expect(error.kind == .conflict && error.isRetryable)
        connection.rollback()
        try connection.transaction(TransactionOptions(.readCommitted)) { () throws in
            try connection.run("SELECT 1")
            #expect(try numbers(of: "SELECT n FROM t") == [])
        }
    }

    @Test func `an observer receives a stream with the number of its rows`() throws {
        let seen = SharedList<RunStatement>()
        connection.watch = StatementWatch { seen.append($0) }
        try connection.transaction(TransactionOptions()) { try connection.stream(series(7)) { _ in } }
        #expect(
            seen.elements.map(\.sql) == [
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE", series(7).sql, "COMMIT",
            ])
        #expect(seen.elements.map(\.rows) == [0, 7, 0])
    }

    @Test func `a deadline stops a stream whose rows do not end`() throws {
        let token = InterruptToken()
        connection.interruption = token
        var count = 0
        let error = serverError {
            try connection.stream(series(3_000_000)) { part in
                count += part.rowCount
                if token.deadline == nil { token.deadline = .now }
            }
        }
        #expect(error?.kind == .timeout)
        #expect(count < 2_500_000)
        connection.reset()
        #expect(try connection.integer("SELECT 1::bigint") == 1)
    }
}
#endif
