#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Cursors and streams", .needsServer)
struct CursorTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws { database = try TestDatabase() }

    private func series(_ count: Int) -> SQLStatement {
        SQLStatement("SELECT n FROM generate_series(1, $1) AS n", with: integers(Int64(count)))
    }

    private func rest(of cursor: PostgresCursor) throws -> [Int64?] {
        var numbers: [Int64?] = []
        while let portion = try cursor.next() {
            #expect(portion.rowCount > 0)
            for row in 0..<portion.rowCount { numbers.append(try portion.int64(row, column: 0)) }
        }
        return numbers
    }

    @Test(arguments: [0, 1, 9, 10, 11, 19, 20, 21, 1000])
    func `a cursor returns all rows in portions`(count: Int) throws {
        try connection.transaction(TransactionOptions()) { () throws in
            let cursor = try connection.cursor(series(count), portion: 10)
            #expect(try rest(of: cursor) == (0..<count).map { Int64($0) + 1 })
            #expect(try cursor.next() == nil)
        }
    }

    @Test func `the beginning, the declaration and the first portion are one trip`() throws {
        let seen = SharedList<String>()
        connection.watch = StatementWatch { seen.append($0.sql) }
        try connection.begin(TransactionOptions())
        let cursor = try connection.cursor(series(25), portion: 10)
        #expect(seen.elements.count == 4)
        #expect(seen.elements.last == "FETCH FORWARD 10 FROM sworm_1")
        // The next portion is asked for before it is needed.
        #expect(connection.answer != nil)
        #expect(try rest(of: cursor).count == 25)
        #expect(connection.answer == nil)
        try connection.commit()
    }

    @Test func `other statements run between portions, and other cursors`() throws {
        try connection.run("CREATE TABLE t (n bigint)")
        try connection.transaction(TransactionOptions()) {
            let first = try connection.cursor(series(55), portion: 10)
            let second = try connection.cursor(series(33), portion: 5)
            var numbers: [[Int64?]] = [[], []]
            var isEnded = false
            while !isEnded {
                isEnded = true
                for (index, cursor) in [first, second].enumerated() {
                    guard let portion = try cursor.next() else { continue }
                    isEnded = false
                    for row in 0..<portion.rowCount { numbers[index].append(try portion.int64(row, column: 0)) }
                    try connection.run("INSERT INTO t VALUES (1)")
                }
            }
            #expect(numbers[0] == (1...55).map { $0 } && numbers[1] == (1...33).map { $0 })
        }
        #expect(try connection.integer("SELECT count(*) FROM t") == 6 + 7)
    }

    @Test func `cursors that are no longer used are closed by the next statement`() throws {
        try connection.transaction(TransactionOptions()) {
            for _ in 0..<5 { _ = try connection.cursor(series(100), portion: 10).next() }
            let cursor = try connection.cursor(series(100), portion: 10)
            cursor.close()
            #expect(try cursor.next() == nil)
            #expect(try connection.integer("SELECT count(*) FROM pg_cursors WHERE name LIKE 'sworm%'") == 0)
        }
    }

    @Test func `a cursor does not outlive its savepoint or its transaction`() throws {
        struct Stop: Error {}
        try connection.transaction(TransactionOptions()) { () throws in
            var kept: PostgresCursor?
            try? connection.savepoint {
                kept = try connection.cursor(series(100), portion: 10)
                _ = try connection.cursor(series(100), portion: 10)
                throw Stop()
            }
            #expect(try connection.integer("SELECT 1::bigint") == 1)
            #expect(kept != nil)
            kept = nil
            #expect(try connection.integer("SELECT 2::bigint") == 2)
        }
        try connection.begin(TransactionOptions())
        let cursor = try connection.cursor(series(100), portion: 10)
        _ = try cursor.next()
        connection.rollback()
        #expect(serverError { try cursor.next() }?.kind == .transaction)
        #expect(serverError { try connection.cursor(series(1)) }?.kind == .misuse)
        #expect(try connection.integer("SELECT 1::bigint") == 1)
    }

    @Test func `an error in a later portion is thrown by the cursor, or by the statement that meets it`() throws {
        let failing = SQLStatement("SELECT 100 / (25 - n) FROM generate_series(1, $1) AS n", with: integers(100))
        try connection.begin(TransactionOptions())
        let first = try connection.cursor(failing, portion: 10)
        #expect(serverError { try rest(of: first) }?.kind == .divisionByZero)
        #expect(try first.next() == nil)
        connection.rollback()

        try connection.begin(TransactionOptions())
        let second = try connection.cursor(failing, portion: 10)
        _ = try second.next()
        _ = try second.next()
        #expect(serverError { try connection.run("SELECT 1") }?.kind == .divisionByZero)
        #expect(serverError { try second.next() }?.kind == .divisionByZero)
        connection.rollback()
        #expect(
            serverError {
                try connection.transaction(TransactionOptions()) { try connection.cursor(SQLStatement("nonsense")) }
            }?.kind == .statement)
    }

    @Test func `a token stops a cursor`() throws {
        let token = InterruptToken()
        connection.interruption = token
        try connection.begin(TransactionOptions())
        let slow = SQLStatement(
            "SELECT n, CASE WHEN n > 10 THEN pg_sleep(60)::text END FROM generate_series(1, $1) AS n",
            with: integers(100))
        let cursor = try connection.cursor(slow, portion: 10)
        _ = try cursor.next()
        token.interrupt(.cancelled)
        #expect(serverError { try cursor.next() }?.kind == .cancelled)
        connection.rollback()
        #expect(!connection.isLost)
    }

    @Test(arguments: [false, true])
    func `a cursor that could not be sent leaves nothing behind`(isGuarded: Bool) throws {
        try connection.transaction(TransactionOptions()) { () throws in
            #expect(
                serverError { try connection.cursor(SQLStatement("SELECT 1\0"), isGuarded: isGuarded) }?.kind == .misuse
            )
            #expect(connection.unusedCursors.isEmpty)
            #expect(connection.pending.count == 1)
            #expect(try connection.integer("SELECT 1::bigint") == 1)
            #expect(
                serverError { try connection.cursor(SQLStatement("SELECT 1\0"), isGuarded: isGuarded) }?.kind == .misuse
            )
            #expect(try connection.integer("SELECT 2::bigint") == 2)
        }
    }

    @Test func `a cursor whose query fails is not closed`() throws {
        try connection.transaction(TransactionOptions()) { () throws in
            let error = serverError { try connection.savepoint { try connection.cursor(SQLStatement("SELECT 1 / 0")) } }
            #expect(error?.kind == .divisionByZero)
            #expect(connection.unusedCursors.isEmpty)
            #expect(try connection.integer("SELECT 1::bigint") == 1)
        }
    }
}
#endif
