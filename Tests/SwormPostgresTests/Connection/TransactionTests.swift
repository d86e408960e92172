#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Transactions of connections", .needsServer)
struct TransactionTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws {
        database = try TestDatabase()
        try database.connection.run("CREATE TABLE t (n bigint UNIQUE)")
    }

    private func insert(_ number: Int64) throws {
        try connection.run("INSERT INTO t VALUES ($1)", with: integers(number))
    }
    private var numbers: [Int64?] { get throws { try connection.integers("SELECT n FROM t ORDER BY n") } }

    @Test func `a transaction is committed, or rolled back by an error`() throws {
        try connection.transaction(TransactionOptions()) { try insert(1) }
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try connection.transaction(TransactionOptions()) {
                try insert(2)
                throw Stop()
            }
        }
        #expect(try numbers == [1])
    }

    @Test func `a commit after a failed statement is an error`() throws {
        try connection.begin(TransactionOptions())
        try insert(1)
        _ = try? insert(1)
        #expect(serverError { try insert(2) }?.state == .inFailedTransaction)
        #expect(serverError { try connection.commit() }?.kind == .transaction)
        #expect(!connection.isInTransaction)
        #expect(try numbers == [])
    }

    @Test func `transactions that begin twice, or were never begun, are errors`() throws {
        try connection.begin(TransactionOptions())
        #expect(serverError { try connection.begin(TransactionOptions()) }?.kind == .misuse)
        connection.rollback()
        #expect(serverError { try connection.commit() }?.kind == .misuse)
        #expect(serverError { try connection.savepoint {} }?.kind == .misuse)
        connection.rollback()
    }

    @Test func `a statement that ended the transaction is noticed`() throws {
        try connection.begin(TransactionOptions())
        try insert(1)
        try connection.run("ROLLBACK")
        // It would otherwise be a transaction of its own.
        #expect(serverError { try insert(2) }?.kind == .transaction)
        #expect(serverError { try connection.commit() }?.kind == .transaction)
        #expect(try numbers == [])
    }

    @Test func `savepoints undo their own changes only, at any depth`() throws {
        struct Stop: Error {}
        try connection.transaction(TransactionOptions()) {
            try insert(1)
            try? connection.savepoint {
                try insert(2)
                try connection.savepoint { try insert(3) }
                try? connection.savepoint {
                    try insert(4)
                    throw Stop()
                }
                throw Stop()
            }
            try connection.savepoint {
                try insert(5)
                try? connection.savepoint { try insert(1) }
                try connection.savepoint {}
            }
            try? connection.savepoint { throw Stop() }
        }
        #expect(try numbers == [1, 5])
    }

    @Test func `random savepoints have the meaning of nested copies`() throws {
        var random = seededRandom()
        struct Stop: Error {}
        for _ in 0..<40 {
            var model: Set<Int64> = []
            var next: Int64 = 0
            func work(_ depth: Int) throws {
                for _ in 0..<random.pick(5) {
                    if random.chance(60) {
                        next += 1
                        try insert(next)
                        model.insert(next)
                    } else if depth < 4 {
                        let before = model
                        do { try connection.savepoint { try work(depth + 1) } } catch is Stop { model = before }
                    }
                }
                if depth > 0, random.chance(40) { throw Stop() }
            }
            try connection.transaction(TransactionOptions()) {
                try connection.run("DELETE FROM t")
                try work(0)
            }
            #expect(try numbers == model.sorted())
        }
    }

    @Test func `a conflict is one that can be retried`() throws {
        try insert(1)
        let other = try database.connect()
        try connection.begin(TransactionOptions(.repeatableRead))
        #expect(try numbers == [1])
        try other.run("UPDATE t SET n = 2")
        let error = try #require(serverError { try connection.run("UPDATE t SET n = 3") })
        #expect(error.kind == .conflict && error.isRetryable)
        connection.rollback()
        #expect(try numbers == [2])
    }

    @Test func `a lock timeout can be retried`() throws {
        try insert(1)
        let other = try database.connect { $0.timeouts.lock = .milliseconds(50) }
        try connection.begin(TransactionOptions())
        try connection.run("UPDATE t SET n = 2")
        try other.begin(TransactionOptions())
        let error = try #require(serverError { try other.run("UPDATE t SET n = 3") })
        #expect(error.kind == .timeout && error.isRetryable)
        other.rollback()
        connection.rollback()
    }

    @Test func `a deadlock is a conflict`() throws {
        for number in [10, 20] { try insert(Int64(number)) }
        let other = try database.connect { $0.timeouts.lock = nil }
        let both = [connection, other]
        for connection in both {
            var options = TransactionOptions(.readCommitted)
            options.timeouts = .init(lock: nil)
            try connection.begin(options)
            try connection.run("SET LOCAL deadlock_timeout = '50ms'")
        }
        try connection.run("UPDATE t SET n = 11 WHERE n = 10")
        try other.run("UPDATE t SET n = 21 WHERE n = 20")
        let errors = SharedList<ServerError?>()
        let thread = Thread { [other = UncheckedBox(other)] in
            errors.append(serverError { try other.value.run("UPDATE t SET n = 12 WHERE n = 10") })
        }
        thread.start()
        errors.append(serverError { try connection.run("UPDATE t SET n = 22 WHERE n = 20") })
        // The one whose transaction was ended lets the other one continue.
        connection.rollback()
        #expect(wait { errors.elements.count == 2 })
        let found = errors.elements.compactMap(\.self)
        #expect(found.count == 1)
        #expect(found.first?.kind == .conflict && found.first?.state == .deadlockDetected)
        #expect(found.first?.isRetryable == true)
        other.rollback()
    }

    @Test func `locks of rows see the settings of their transaction`() throws {
        let guest = "\(database.schema)_tenant"
        try connection.run("CREATE TABLE owned (n bigint, tenant text)")
        try connection.run("INSERT INTO owned VALUES (1, '7'), (2, '8')")
        try connection.run("ALTER TABLE owned ENABLE ROW LEVEL SECURITY")
        try connection.run("CREATE POLICY tenant ON owned USING (tenant = current_setting('app.tenant'))")
        try connection.run("CREATE ROLE \(guest)")
        defer {
            connection.rollback()
            _ = try? connection.run("RESET ROLE")
            _ = try? connection.run("DROP OWNED BY \(guest)")
            _ = try? connection.run("DROP ROLE \(guest)")
        }
        try connection.run("GRANT USAGE ON SCHEMA \(database.schema) TO \(guest)")
        try connection.run("GRANT ALL ON owned, t TO \(guest)")
        try connection.run("SET ROLE \(guest)")
        var options = TransactionOptions()
        options.locks = ["LOCK TABLE t IN ROW EXCLUSIVE MODE"]
        options.settings = [.init("app.tenant", value: "7")]
        options.rowLocks = ["SELECT n FROM owned FOR NO KEY UPDATE"]
        let seen = SharedList<String>()
        connection.watch = StatementWatch { seen.append($0.sql) }
        try connection.begin(options)
        #expect(try connection.integers("SELECT n FROM owned") == [1])
        #expect(
            seen.elements.dropFirst().prefix(3) == [
                "LOCK TABLE t IN ROW EXCLUSIVE MODE", "SELECT pg_catalog.set_config($1, $2, true)",
                "SELECT n FROM owned FOR NO KEY UPDATE",
            ])
        // The row of the other tenant is not locked.
        let other = try database.connect { $0.timeouts.lock = .milliseconds(50) }
        #expect(throws: Never.self) { try other.run("UPDATE owned SET n = 3 WHERE tenant = '8'") }
        #expect(serverError { try other.run("UPDATE owned SET n = 3 WHERE tenant = '7'") }?.state == .lockNotAvailable)
    }

    @Test func `behind a pooler each transaction has its timeouts`() throws {
        let seen = SharedList<String>()
        let other = try database.connect { $0.pooler = .transaction }
        #expect(try other.string("SHOW statement_timeout") == "0")
        other.watch = StatementWatch { seen.append($0.sql) }
        try other.transaction(TransactionOptions(.readCommitted)) { () throws in
            #expect(try other.string("SHOW statement_timeout") == "30s")
        }
        #expect(
            seen.elements == [
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", "SET LOCAL statement_timeout = 30000",
                "SET LOCAL lock_timeout = 2000", "SET LOCAL idle_in_transaction_session_timeout = 60000",
                "SHOW statement_timeout", "COMMIT",
            ])
        #expect(try other.string("SHOW statement_timeout") == "0")
    }

    @Test func `a deferred constraint fails the commit`() throws {
        try connection.run("CREATE TABLE r (n bigint REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)")
        try connection.begin(TransactionOptions())
        try connection.run("INSERT INTO r VALUES (7)")
        let error = try #require(serverError { try connection.commit() })
        #expect(error.kind == .foreignKeyViolation && error.sql == "COMMIT")
        connection.rollback()
        #expect(try connection.integer("SELECT count(*) FROM r") == 0)
    }
}
#endif
