#if PostgreSQL
import Dispatch
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Tokens and deadlines of calls over a pool", .needsServer)
struct PoolTokenTests {
    private let database: TestDatabase
    private let clock = ManualClock()
    init() throws { database = try TestDatabase() }

    private func pool(_ connections: Int, _ change: (inout PostgresAddress) -> Void = { _ in }) -> PostgresPool {
        PostgresPool(
            database.address {
                $0.connections = connections
                // A test may pause for longer than the usual timeouts, while other tests run.
                $0.timeouts.statement = nil
                $0.timeouts.connection = .seconds(600)
                change(&$0)
            }, clock: clock)
    }

    /// A call that holds the only connection until the semaphore is signalled.
    private func hold(_ pool: PostgresPool, until held: DispatchSemaphore) async throws -> Task<Void, any Error> {
        let holder = Task.detached(priority: .high) { try await pool.schedule(for: "holder") { _ in held.wait() } }
        try #require(await eventually { pool.snapshot.holders.count == 1 })
        return holder
    }

    @Test func `the cancellation of a task does not interrupt the token of other work`() async throws {
        let (pool, token, canceller) = (pool(1), InterruptToken(), SharedList<StatementCanceller>())
        let call = Task.detached(priority: .high) {
            try await pool.schedule(for: "call", token: token) { connection in
                canceller.append(connection.canceller)
                try connection.run("SELECT pg_sleep(671)")
            }
        }
        try #require(await eventually { canceller.elements.first?.sql != nil })
        call.cancel()
        let error = await #expect(throws: ServerError.self) { _ = try await call.value }
        #expect(error?.kind == .cancelled)
        #expect(token.reason == nil)
        #expect(try await pool.schedule(for: "next", token: token) { try $0.integer("SELECT 1::bigint") } == 1)
    }

    @Test func `a token takes a call out of the queue, and stops its statement`() async throws {
        let (pool, held, ran) = (pool(1), DispatchSemaphore(value: 0), Counter())
        let holder = try await hold(pool, until: held)
        let token = InterruptToken()
        let waiting = Task.detached(priority: .high) {
            try await pool.schedule(for: "call", token: token) { _ in ran.add() }
        }
        try #require(await eventually { pool.snapshot.waitingCount == 1 })
        token.interrupt(.cancelled)
        let error = await #expect(throws: ServerError.self) { _ = try await waiting.value }
        #expect(error?.kind == .cancelled && pool.snapshot.waitingCount == 0)
        // One that was interrupted before does not begin to wait, or does not run.
        let late = await #expect(throws: ServerError.self) {
            _ = try await pool.schedule(for: "call", token: token) { _ in ran.add() }
        }
        #expect(late?.kind == .cancelled)
        held.signal()
        try await holder.value
        await #expect(throws: ServerError.self) {
            _ = try await pool.schedule(for: "call", token: token) { _ in ran.add() }
        }
        #expect(
            serverError { try pool.withConnection(for: "call", token: token) { _ in ran.add() } }?.kind == .cancelled)
        #expect(ran.value == 0)
        token.clear()

        let canceller = SharedList<StatementCanceller>()
        let call = Task.detached(priority: .high) {
            try await pool.schedule(for: "call", token: token) { connection in
                canceller.append(connection.canceller)
                try connection.run("SELECT pg_sleep(672)")
            }
        }
        try #require(await eventually { canceller.elements.first?.sql != nil })
        token.interrupt(.suspended)
        #expect(await #expect(throws: ServerError.self) { _ = try await call.value }?.kind == .cancelled)
        #expect(pool.snapshot.holders.isEmpty)
    }

    @Test func `the deadline of a token ends the wait for a connection`() async throws {
        let pool = PostgresPool(
            database.address {
                $0.connections = 1
                $0.timeouts = .init(connection: .seconds(600), statement: nil)
            })
        let held = DispatchSemaphore(value: 0)
        let holder = try await hold(pool, until: held)
        for isAsynchronous in [false, true] {
            let token = InterruptToken()
            token.deadline = .now.advanced(by: .milliseconds(100))
            let call = Task.detached(priority: .high) {
                if isAsynchronous {
                    try await pool.schedule(for: "call", token: token) { _ in }
                } else {
                    try await PoolTests.onThread { try pool.withConnection(for: "call", token: token) { _ in } }
                }
            }
            let error = await #expect(throws: ServerError.self) { try await call.value }
            #expect(error?.kind == .timeout && error?.message.contains("deadline") == true)
        }
        held.signal()
        try await holder.value
    }

    @Test func `deadlines and tokens end the opening of a connection`() throws {
        let listener = try SilentListener()
        let pool = pool(1) {
            $0.hosts = [.init("127.0.0.1", port: listener.port)]
            $0.tls = .disable
        }
        let deadline = clock.now.advanced(by: .milliseconds(100))
        let late = serverError { try pool.withConnection(for: "call", until: deadline) { _ in } }
        #expect(late?.kind == .unavailable && late?.message.contains("did not answer within 0.1 seconds") == true)
        let token = InterruptToken()
        let thread = Thread {
            usleep(100_000)
            token.interrupt(.cancelled)
        }
        thread.start()
        #expect(serverError { try pool.withConnection(for: "call", token: token) { _ in } }?.kind == .cancelled)
        #expect(pool.snapshot.holders.isEmpty)
    }

    @Test func `a call that waited for long has time to open its connection`() async throws {
        // The time that a call has waited in the queue is not taken from the time of the opening.
        let pool = pool(1) { $0.timeouts.connection = .seconds(60) }
        let held = DispatchSemaphore(value: 0)
        let holder = Task.detached(priority: .high) {
            try await pool.schedule(for: "holder") { connection in
                held.wait()
                _ = try? connection.run("SELECT pg_terminate_backend(pg_backend_pid())")
            }
        }
        try #require(await eventually { pool.snapshot.holders.count == 1 })
        let waiting = Task.detached(priority: .high) {
            try await pool.schedule(for: "call") { try $0.integer("SELECT 1::bigint") }
        }
        try #require(await eventually { pool.snapshot.waitingCount == 1 && clock.nextAlarm == .seconds(60) })
        clock.advance(by: .seconds(59))
        held.signal()
        #expect(try await waiting.value == 1)
        try await holder.value
    }

    // MARK: Idle connections

    @Test func `a connection that nobody uses is closed after ten minutes`() throws {
        let pool = pool(3)
        let pids = try pool.withConnection(for: "outer") { outer in
            try pool.withConnection(for: "inner") { [outer.processID, $0.processID] }
        }
        func count(_ pid: Int) throws -> Int64? {
            try database.connection.integer("SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid)")
        }
        #expect(clock.nextAlarm == .seconds(600))
        clock.advance(by: .seconds(599))
        // Both are there, and the one that was used last is used again.
        #expect(try pool.withConnection(for: "a") { $0.processID } == pids[0])
        #expect(try count(pids[1]) == 1)
        clock.advance(by: .seconds(1))
        #expect(try wait { try count(pids[1]) == 0 })
        #expect(try count(pids[0]) == 1)
        #expect(clock.nextAlarm == .seconds(599))
        // One that is used for long is not idle.
        try pool.withConnection(for: "long") { connection throws in
            clock.advance(by: .seconds(3000))
            #expect(try connection.integer("SELECT 1::bigint") == 1)
            #expect(connection.processID == pids[0])
        }
        #expect(try count(pids[0]) == 1)
        clock.advance(by: .seconds(600))
        #expect(try wait { try count(pids[0]) == 0 })
        #expect(clock.nextAlarm == nil)
        #expect(try pool.withConnection(for: "b") { try $0.integer("SELECT 1::bigint") } == 1)
    }

    @Test func `without a limit idle connections stay`() throws {
        let pool = PostgresPool(database.address { $0.connections = 2 }, clock: clock, idleLimit: nil)
        let pid = try pool.withConnection(for: "a") { $0.processID }
        #expect(clock.nextAlarm == nil)
        clock.advance(by: .seconds(100_000))
        #expect(try pool.withConnection(for: "b") { $0.processID } == pid)
    }
}
#endif
