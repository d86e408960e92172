#if PostgreSQL
import Dispatch
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Stopping statements", .needsServer)
struct CancellationTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws { database = try TestDatabase() }

    /// Interrupts a token as soon as the server runs a statement of the connection.
    private func interrupt(_ token: InterruptToken, whenRunning text: String) throws -> Thread {
        let (other, pid) = (UncheckedBox(try database.connect()), connection.processID)
        let thread = Thread {
            let sql =
                "SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid) AND state = 'active' AND query LIKE '\(text)%'"
            _ = try? wait { try other.value.integer(sql) == 1 }
            token.interrupt(.cancelled)
        }
        thread.start()
        return thread
    }

    @Test func `a token stops the running statement`() throws {
        let token = InterruptToken()
        connection.interruption = token
        _ = try interrupt(token, whenRunning: "SELECT pg_sleep(60)")
        let start = ContinuousClock.now
        let error = try #require(serverError { try connection.run("SELECT pg_sleep(60)") })
        #expect(error.kind == .cancelled && error.state == .queryCanceled)
        #expect(start.duration(to: .now) < .seconds(20))
        // It stays set.
        #expect(serverError { try connection.run("SELECT 1") }?.kind == .cancelled)
        connection.reset()
        #expect(try connection.integer("SELECT 1::bigint") == 1)
    }

    @Test func `a token stops a statement in a transaction, which is then rolled back`() throws {
        try connection.run("CREATE TABLE t (n bigint)")
        let token = InterruptToken()
        connection.interruption = token
        try connection.begin(TransactionOptions())
        try connection.run("INSERT INTO t VALUES (1)")
        _ = try interrupt(token, whenRunning: "SELECT pg_sleep(61)")
        #expect(serverError { try connection.run("SELECT pg_sleep(61)") }?.kind == .cancelled)
        connection.rollback()
        #expect(!connection.isLost && !connection.isInTransaction)
        connection.interruption = nil
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a deadline stops the running statement`() throws {
        let token = InterruptToken()
        connection.interruption = token
        // The deadline is set when the statement runs, however long it takes to get there.
        let (other, pid) = (UncheckedBox(try database.connect()), connection.processID)
        let thread = Thread {
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid) AND state = 'active'"
            _ = try? wait { try other.value.integer(sql) == 1 }
            token.deadline = .now.advanced(by: .milliseconds(10))
        }
        thread.start()
        let error = try #require(serverError { try connection.run("SELECT pg_sleep(60)") })
        #expect(error.kind == .timeout && error.message.contains("deadline") && error.state == .queryCanceled)
        #expect(serverError { try connection.run("SELECT 1") }?.kind == .timeout)
    }

    @Test func `the server's own timeout is no cancellation`() throws {
        let other = try database.connect { $0.timeouts.statement = .milliseconds(50) }
        let error = try #require(serverError { try other.run("SELECT pg_sleep(60)") })
        #expect(error.kind == .timeout && error.state == .queryCanceled)
        #expect(try other.integer("SELECT 1::bigint") == 1)
    }

    @Test func `a request without a running statement does nothing`() throws {
        for _ in 0..<20 {
            connection.canceller.stop()
            #expect(try connection.integer("SELECT 1::bigint") == 1)
        }
    }

    @Test func `requests at random times stop no later statement`() throws {
        var random = seededRandom()
        let canceller = connection.canceller
        var stopped = 0
        for round in 0..<200 {
            let pause = UInt32(random.pick(5000))
            let thread = Thread {
                usleep(pause)
                canceller.stop()
            }
            thread.start()
            do {
                try connection.run("SELECT pg_sleep(0.004)")
            } catch let error as ServerError {
                #expect(error.kind == .cancelled)
                stopped += 1
            }
            _ = wait { thread.isFinished }
            // Without a pooler, a request has arrived when the statement ends.
            #expect(try connection.integer("SELECT \(round)::bigint") == Int64(round))
        }
        print("stopped \(stopped) of 200 statements")
    }

    @Test func `a listener of a token that is called late does not stop the next user's statement`() throws {
        let (token, isBlocked, goOn) = (InterruptToken(), Counter(), DispatchSemaphore(value: 0))
        // The listeners are called in any order. Most likely, one of these is called before the connection's.
        for _ in 0..<16 {
            _ = token.addListener { _ in if isBlocked.add() == 1 { goOn.wait() } }
        }
        connection.interruption = token
        try connection.run("SELECT 1")
        let thread = Thread { token.interrupt(.cancelled) }
        thread.start()
        #expect(wait { isBlocked.value >= 1 })
        connection.reset()
        let canceller = connection.canceller
        let release = Thread {
            _ = wait { canceller.sql != nil }
            goOn.signal()
        }
        release.start()
        #expect(serverError { try connection.run("SELECT pg_sleep(1)") } == nil)
        #expect(wait { thread.isFinished && release.isFinished })
    }

    @Test func `a silent server is given up after a request`() throws {
        let other = try database.connect { $0.timeouts.statement = nil }
        other.patience = .milliseconds(200)
        let token = InterruptToken()
        other.interruption = token
        let pid = Int32(other.processID)
        try #require(kill(pid, SIGSTOP) == 0)
        defer { kill(pid, SIGCONT) }
        token.deadline = .now.advanced(by: .milliseconds(500))
        let error = try #require(serverError { try other.run("SELECT 1") })
        #expect(error.kind == .timeout && error.message.contains("did not answer to the request"))
        #expect(other.isLost)
        other.rollback()
        #expect(serverError { try other.run("SELECT 1") }?.kind == .unavailable)
    }

    @Test func `a silent server is given up after a request of another thread`() throws {
        let other = try database.connect { $0.timeouts.statement = nil }
        other.patience = .milliseconds(200)
        let pid = Int32(other.processID)
        try #require(kill(pid, SIGSTOP) == 0)
        defer { kill(pid, SIGCONT) }
        let canceller = other.canceller
        let thread = Thread {
            _ = wait { canceller.sql != nil }
            // The thread of the statement waits already.
            usleep(100_000)
            canceller.stop()
        }
        thread.start()
        #expect(serverError { try other.run("SELECT 1") }?.kind == .timeout)
        #expect(other.isLost)
    }

    @Test func `a server that exceeds its own timeout is a loss`() throws {
        let other = try database.connect { $0.timeouts.statement = .milliseconds(100) }
        other.patience = .milliseconds(200)
        let pid = Int32(other.processID)
        try #require(kill(pid, SIGSTOP) == 0)
        defer { kill(pid, SIGCONT) }
        let error = try #require(serverError { try other.run("SELECT 1") })
        #expect(error.kind == .unavailable && error.message.contains("within its own timeout"))
        #expect(other.isLost && error.isRetryable)
    }

    @Test func `statements in one trip have a timeout each`() throws {
        let other = try database.connect { $0.timeouts.statement = .seconds(2) }
        other.patience = .milliseconds(500)
        // Together they take longer than the timeout of one, and the server sends nothing before the last one has run.
        let statements = (0..<6).map { SQLStatement("SELECT pg_sleep(0.7), \($0)") }
        try other.transaction(TransactionOptions()) { () throws in #expect(try other.run(statements).count == 6) }
        #expect(!other.isLost)
    }

    @Test func `a caller that is slow between two parts of its rows is no silence of the server`() throws {
        let other = try database.connect { $0.timeouts.statement = .milliseconds(300) }
        other.patience = .milliseconds(100)
        try other.begin(TransactionOptions())
        let cursor = try other.cursor(SQLStatement("SELECT generate_series(1, 30)"), portion: 10)
        while try cursor.next() != nil { usleep(500_000) }
        try other.run("CREATE TEMP TABLE t (n bigint)")
        try other.run("SET LOCAL statement_timeout = 0")
        try other.copyIn(into: "t", types: [.int8]) { writer in
            for number in 0..<100_000 {
                if number == 50_000 { usleep(500_000) }
                try writer.beginRow()
                _ = writer.write(Int64(number))
            }
        }
        #expect(try other.integer("SELECT count(*) FROM t") == 100_000)
        other.rollback()
    }

    @Test func `a handle of an earlier user stops nothing`() throws {
        let (old, stopped) = (connection.canceller, Counter())
        connection.reset()
        let current = connection.canceller
        let thread = Thread {
            _ = wait { current.sql != nil }
            old.stop()
            old.stopAll()
            stopped.add()
        }
        thread.start()
        #expect(serverError { try connection.run("SELECT pg_sleep(0.5)") } == nil)
        #expect(wait { stopped.value == 1 })
        #expect(serverError { try connection.run("SELECT 1") } == nil)
        current.stopAll()
        #expect(serverError { try connection.run("SELECT 1") }?.kind == .unavailable)
        connection.reset()
        #expect(serverError { try connection.run("SELECT 1") } == nil)
    }
}
#endif
