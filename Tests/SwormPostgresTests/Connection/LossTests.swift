#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Lost connections", .needsServer)
struct LossTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws {
        database = try TestDatabase()
        try database.connection.run("CREATE TABLE t (n bigint)")
    }

    private func terminate(_ victim: PostgresConnection) throws {
        try connection.run(
            "SELECT pg_terminate_backend($1::int)", with: parameters { $0.append(Int32(victim.processID)) })
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(victim.processID)"
        #expect(try wait { try connection.integer(sql) == 0 })
    }

    @Test func `a terminated connection is an error with the server's reason`() throws {
        let victim = try database.connect()
        try terminate(victim)
        let error = try #require(serverError { try victim.run("SELECT 1") })
        #expect(error.kind == .unavailable && error.state == .adminShutdown && error.isRetryable)
        #expect(victim.isLost && !victim.isAlive)
        let later = try #require(serverError { try victim.run("SELECT 1") })
        #expect(later.kind == .unavailable)
        #expect(later.message.contains("was lost"))
    }

    @Test func `a connection that ends while a statement runs is an error`() throws {
        let victim = try database.connect()
        let (other, pid) = (UncheckedBox(try database.connect()), victim.processID)
        let thread = Thread {
            _ = try? wait {
                try other.value.integer(
                    "SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid) AND query LIKE '%pg_sleep(62)'") == 1
            }
            _ = try? other.value.run("SELECT pg_terminate_backend(\(pid))")
        }
        thread.start()
        try victim.begin(TransactionOptions())
        let error = serverError { try victim.run("SELECT pg_sleep(62)") }
        #expect(error?.kind == .unavailable && error?.state == .adminShutdown, "\(String(describing: error))")
        victim.rollback()
        #expect(victim.isLost && !victim.isInTransaction)
    }

    @Test func `a loss before COMMIT is sent is no unknown outcome`() throws {
        let victim = try database.connect()
        try victim.begin(TransactionOptions())
        try victim.run("INSERT INTO t VALUES (1)")
        try terminate(victim)
        _ = serverError { try victim.run("SELECT 1") }
        let error = try #require(serverError { try victim.commit() })
        #expect(error.kind == .unavailable)
        victim.rollback()
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a loss at COMMIT is an unknown outcome`() throws {
        let victim = try database.connect()
        try victim.begin(TransactionOptions())
        try victim.run("INSERT INTO t VALUES (1)")
        try terminate(victim)
        // The driver has not noticed yet, so COMMIT is sent.
        let error = try #require(serverError { try victim.commit() })
        #expect(error.kind == .outcomeUnknown && !error.isRetryable)
        victim.rollback()
    }

    /// Ends a connection as soon as its statement runs.
    private func terminate(_ victim: PostgresConnection, whenRunning text: String) throws {
        let (other, pid) = (UncheckedBox(try database.connect()), victim.processID)
        let thread = Thread {
            let sql =
                "SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid) AND state = 'active' AND query LIKE '%\(text)%'"
            _ = try? wait { try other.value.integer(sql) == 1 }
            _ = try? other.value.run("SELECT pg_terminate_backend(\(pid))")
        }
        thread.start()
    }

    @Test func `a loss while a cursor reads ahead is no unknown outcome`() throws {
        let victim = try database.connect()
        try victim.begin(TransactionOptions())
        try victim.run("INSERT INTO t VALUES (1)")
        let slow = SQLStatement(
            "SELECT n, CASE WHEN n > 10 THEN pg_sleep(63)::text END FROM generate_series(1, 20) AS n")
        let cursor = try victim.cursor(slow, portion: 10)
        _ = try cursor.next()
        try terminate(victim, whenRunning: "FETCH FORWARD")
        let error = try #require(serverError { try victim.commit() })
        #expect(error.kind == .unavailable && error.isRetryable)
        victim.rollback()
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a loss while a transaction that is committed at once waits for its lock is no unknown outcome`() throws
    {
        let victim = try database.connect()
        try connection.begin(TransactionOptions())
        try connection.run("LOCK TABLE t IN EXCLUSIVE MODE")
        var options = TransactionOptions()
        options.locks = ["LOCK TABLE t IN EXCLUSIVE MODE"]
        options.timeouts = .init(lock: nil)
        try victim.begin(options)
        try terminate(victim, whenRunning: "LOCK TABLE t IN EXCLUSIVE MODE")
        let error = try #require(serverError { try victim.commit(after: [SQLStatement("INSERT INTO t VALUES (1)")]) })
        #expect(error.kind == .unavailable && error.state == .adminShutdown)
        victim.rollback()
        connection.rollback()
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `an error that libpq has made says nothing about the commands of the server`() throws {
        let other = try database.connect()
        let result = try #require(libpqFailure(on: other.handle))
        defer { libpqClear(result) }
        other.mayHaveCommitted = true
        let command = PostgresConnection.Command(.command("INSERT INTO t VALUES (1)"), index: 3)
        let error = other.failure(result, of: command)
        #expect(error.kind == .unavailable && error.state == nil && error.index == 3)
        #expect(other.isLost && other.mayHaveCommitted)
    }

    @Test func `connections that are killed at random times never commit in part`() throws {
        var random = seededRandom()
        var outcomes: [ServerError.Kind?: Int] = [:]
        for round in 0..<60 {
            let (victim, killer) = (try database.connect(), UncheckedBox(try database.connect()))
            let (pid, pause) = (victim.processID, UInt32(random.pick(3000)))
            let thread = Thread {
                usleep(pause)
                _ = try? killer.value.run("SELECT pg_terminate_backend(\(pid))")
            }
            thread.start()
            let error = serverError {
                try victim.transaction(TransactionOptions()) {
                    for part in 0..<3 {
                        try victim.run("INSERT INTO t VALUES ($1)", with: integers(Int64(round * 10 + part)))
                    }
                }
            }
            #expect(wait { thread.isFinished })
            let ended = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid)"
            #expect(try wait { try connection.integer(ended) == 0 })
            let count = try connection.integer("SELECT count(*) FROM t WHERE n / 10 = \(round)")
            outcomes[error?.kind, default: 0] += 1
            switch error?.kind {
            case nil: #expect(count == 3)
            case .unavailable: #expect(count == 0)
            case .outcomeUnknown: #expect(count == 0 || count == 3)
            default: Issue.record("\(String(describing: error))")
            }
        }
        print("outcomes: \(outcomes)")
    }

    @Test func `an idle connection whose server was stopped is not alive`() throws {
        let server = try PostgresServer()
        let address = PostgresAddress(
            hosts: [.init(server.folder.path, port: server.port)], database: "postgres", user: server.user)
        let other = try PostgresConnection.open(address)
        #expect(other.isAlive)
        server.stop()
        #expect(!other.isAlive)
        #expect(serverError { try PostgresConnection.open(address) }?.kind == .unavailable)
        #expect(!FileManager.default.fileExists(atPath: server.folder.path))
    }

    @Test func `an idle transaction is ended by its timeout`() throws {
        let other = try database.connect { $0.timeouts.idle = .milliseconds(50) }
        try other.begin(TransactionOptions())
        try other.run("SELECT 1")
        #expect(wait { !other.isAlive })
        let error = try #require(serverError { try other.run("SELECT 1") })
        #expect(error.kind == .unavailable || error.state == .idleInTransactionTimeout)
    }
}
#endif
