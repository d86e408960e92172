#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Savepoints after failures", .needsServer)
struct SavepointTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws {
        database = try TestDatabase()
        try database.connection.run("CREATE TABLE t (n bigint UNIQUE)")
    }

    private struct Stop: Error {}
    private func insert(_ number: Int64) throws {
        try connection.run("INSERT INTO t VALUES ($1)", with: integers(number))
    }
    private var numbers: [Int64?] { get throws { try connection.integers("SELECT n FROM t ORDER BY n") } }

    @Test func `a savepoint that fails leaves its finished sibling alone`() throws {
        try connection.begin(TransactionOptions())
        let cursor = try connection.cursor(SQLStatement("SELECT generate_series(1, 100)"), portion: 10)
        try connection.savepoint {
            try insert(1)
            // The server no longer knows the cursor, so that the next trip fails where it is closed.
            try connection.run("CLOSE ALL")
            cursor.close()
        }
        // The end of the first savepoint is sent together with the second one.
        _ = try? connection.savepoint { try insert(2) }
        _ = try? insert(3)
        if (try? connection.commit()) == nil { connection.rollback() }
        // All or nothing, but never the third row without the first one.
        let found = try numbers
        #expect(found == [] || found == [1, 3] || found == [1, 2, 3], "\(found)")
    }

    @Test func `a trip that fails before its savepoint fails the transaction, and not the connection`() throws {
        try connection.begin(TransactionOptions())
        try connection.savepoint { try insert(1) }
        // The lock fails, and with it the savepoint behind it.
        connection.lock("LOCK TABLE nowhere IN EXCLUSIVE MODE", within: .seconds(1))
        let error = serverError { try connection.savepoint { try insert(2) } }
        #expect(error?.kind == .statement)
        #expect(serverError { try insert(3) }?.state == .inFailedTransaction)
        #expect(!connection.isLost && connection.hasFailedTransaction)
        connection.rollback()
        #expect(try numbers == [])
    }

    @Test func `an outer savepoint undoes a trip that failed before an inner one`() throws {
        try connection.transaction(TransactionOptions()) {
            try insert(1)
            try? connection.savepoint {
                try insert(2)
                connection.lock("LOCK TABLE nowhere IN EXCLUSIVE MODE", within: .seconds(1))
                try connection.savepoint { try insert(3) }
            }
            try insert(4)
        }
        #expect(try numbers == [1, 4])
    }

    @Test func `a lock that was asked for in a savepoint without statements is not taken`() throws {
        let locks = "SELECT count(*) FROM pg_locks WHERE relation = 't'::regclass AND mode = 'ExclusiveLock'"
        try connection.transaction(TransactionOptions()) { () throws in
            try connection.savepoint {
                connection.lock("LOCK TABLE t IN EXCLUSIVE MODE", within: .seconds(1))
                #expect(connection.hasUnsentStatements)
            }
            #expect(try connection.integer(locks) == 0)
            #expect(!connection.hasUnsentStatements)
            try? connection.savepoint {
                connection.lock("LOCK TABLE nowhere IN EXCLUSIVE MODE", within: .seconds(1))
                throw Stop()
            }
            try connection.savepoint {
                connection.lock("LOCK TABLE t IN EXCLUSIVE MODE", within: .seconds(1))
                try insert(1)
            }
            #expect(try connection.integer(locks) == 1)
        }
        #expect(try numbers == [1])
    }

    @Test func `savepoints that are left open end with the one around them`() throws {
        try connection.transaction(TransactionOptions()) {
            for isUndone in [true, false] {
                try? connection.savepoint {
                    try insert(isUndone ? 1 : 2)
                    let inner = try connection.openSavepoint()
                    try insert(isUndone ? 3 : 4)
                    _ = inner
                    if isUndone { throw Stop() }
                }
            }
            // A cursor is one of the transaction.
            let cursor = try connection.cursor(SQLStatement("SELECT generate_series(1, 20)"), portion: 10)
            _ = try cursor.next()
            #expect(try cursor.next()?.rowCount == 10)
            #expect(try cursor.next() == nil)
        }
        #expect(try numbers == [2, 4])
    }

    @Test func `random savepoints, cursors and failures have the meaning of nested copies`() throws {
        var random = seededRandom()
        for _ in 0..<30 {
            var model: Set<Int64> = []
            var next: Int64 = 0
            var cursors: [PostgresCursor] = []
            func work(_ depth: Int) throws {
                for _ in 0..<random.pick(6) {
                    switch random.pick(10) {
                    case 0..<4:
                        next += 1
                        try insert(next)
                        model.insert(next)
                    case 4:
                        let cursor = try connection.cursor(
                            SQLStatement("SELECT generate_series(1, 30)"), portion: 10, isGuarded: random.chance(50))
                        if random.chance(50) { _ = try cursor.next() }
                        if random.chance(50) { cursors.append(cursor) }
                    case 5: if let cursor = cursors.popLast() { _ = try? cursor.next() }
                    case 6:
                        let error = serverError { try connection.runBehindSavepoint(SQLStatement("SELECT 1 / 0")) }
                        #expect(error?.kind == .divisionByZero)
                    default:
                        guard depth < 4 else { continue }
                        let before = model
                        do { try connection.savepoint { try work(depth + 1) } } catch is Stop {
                            model = before
                        } catch let error as ServerError where error.kind == .uniqueViolation { model = before }
                    }
                }
                guard depth > 0 else { return }
                if random.chance(25) { throw Stop() }
                if random.chance(20), let taken = model.first { try insert(taken) }
            }
            try connection.transaction(TransactionOptions()) {
                try connection.run("DELETE FROM t")
                try work(0)
            }
            cursors = []
            #expect(try numbers == model.sorted())
        }
    }

    @Test func `rolling back does not wait for rows that nobody needs`() throws {
        let slow = SQLStatement(
            "SELECT n, CASE WHEN n > 10 THEN pg_sleep(20)::text END FROM generate_series(1, 20) AS n")
        for isSavepoint in [false, true] {
            try connection.begin(TransactionOptions())
            try insert(1)
            let start = ContinuousClock.now
            let savepoint = isSavepoint ? try connection.openSavepoint() : nil
            let cursor = try connection.cursor(slow, portion: 10)
            _ = try cursor.next()
            #expect(connection.answer != nil)
            if let savepoint { connection.rollBack(to: savepoint) } else { connection.rollback() }
            #expect(start.duration(to: .now) < .seconds(15))
            #expect(!connection.isLost)
            if isSavepoint { try connection.commit() }
            #expect(try numbers == (isSavepoint ? [1] : []))
        }
    }

    @Test func `a savepoint that is undone keeps the rows that a cursor around it reads`() throws {
        let slow = SQLStatement(
            "SELECT n, CASE WHEN n > 20 THEN pg_sleep(0.02)::text END FROM generate_series(1, 40) AS n")
        try connection.transaction(TransactionOptions()) {
            let cursor = try connection.cursor(slow, portion: 20)
            _ = try cursor.next()
            try? connection.savepoint { throw Stop() }
            let savepoint = try connection.openSavepoint()
            #expect(try cursor.next()?.rowCount == 20)
            connection.rollBack(to: savepoint)
            #expect(try cursor.next() == nil)
        }
    }
}
#endif
