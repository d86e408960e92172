#if PostgreSQL
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
        token.deadline = .now.advanced(by: .milliseconds(100))
        connection.interruption = token
        let error = try #require(serverError { try connection.run("SELECT pg_sleep(60)") })
        #expect(error.kind == .timeout && error.message.contains("deadline"))
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
            // Nothing of this belongs to the request.
            _ = wait { thread.isFinished }
            connection.reset()
            #expect(try connection.integer("SELECT \(round)::bigint") == Int64(round))
        }
        print("stopped \(stopped) of 200 statements")
    }

    @Test func `a silent server is given up after a request`() throws {
        let other = try database.connect { $0.timeouts.statement = nil }
        let token = InterruptToken()
        other.interruption = token
        let pid = Int32(other.processID)
        try #require(kill(pid, SIGSTOP) == 0)
        defer { kill(pid, SIGCONT) }
        token.deadline = .now.advanced(by: .milliseconds(100))
        let error = try #require(serverError { try other.run("SELECT 1") })
        #expect(error.kind == .timeout && error.message.contains("did not answer to the request"))
        #expect(other.isLost)
        other.rollback()
        #expect(serverError { try other.run("SELECT 1") }?.kind == .unavailable)
    }
}
#endif
