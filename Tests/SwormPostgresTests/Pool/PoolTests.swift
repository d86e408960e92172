#if PostgreSQL
import Dispatch
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Calls over a pool", .needsServer)
struct PoolTests {
    private let database: TestDatabase
    private let clock = ManualClock()
    init() throws { database = try TestDatabase() }

    private func pool(_ connections: Int, _ change: (inout PostgresAddress) -> Void = { _ in }) -> PostgresPool {
        PostgresPool(
            database.address {
                $0.connections = connections
                // A test may pause for longer than the usual timeout, while other tests run.
                $0.timeouts.statement = nil
                change(&$0)
            }, clock: clock)
    }

    private func deadline(_ seconds: Int) -> ContinuousClock.Instant { clock.now.advanced(by: .seconds(seconds)) }

    @Test func `connections are opened when they are needed, and used again`() throws {
        let pool = pool(3)
        let first = try pool.withConnection(for: "a") { $0.processID }
        let second = try pool.withConnection(for: "b") { $0.processID }
        #expect(first == second)
        let pair = try pool.withConnection(for: "outer") { outer in
            try pool.withConnection(for: "inner") { [outer.processID, $0.processID] }
        }
        #expect(Set(pair).count == 2)
        #expect(pool.snapshot.holders.isEmpty)
    }

    @Test func `a call leaves nothing behind for the next one`() throws {
        let pool = pool(1)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try pool.withConnection(for: "a", token: InterruptToken()) { connection in
                try connection.begin(TransactionOptions())
                try connection.run("CREATE TABLE \(database.schema).t (n int)")
                connection.watch = StatementWatch { _ in }
                throw Stop()
            }
        }
        try pool.withConnection(for: "b") { connection throws in
            #expect(!connection.isInTransaction && connection.interruption == nil && connection.watch == nil)
            #expect(
                try connection.run(
                    "SELECT to_regclass($1)::text", with: parameters { _ = $0.append("\(database.schema).t") }
                )
                .isNull(0, column: 0))
        }
    }

    @Test func `asynchronous calls run on the threads of their connections`() async throws {
        let pool = pool(2)
        let threads = SharedList<UInt>()
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try await pool.schedule(for: "call") { connection in
                        threads.append(PooledConnection.thread)
                        return try connection.integer("SELECT $1", integers(Int64(number))) ?? -1
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 49 * 50 / 2)
        #expect(Set(threads.elements).count <= 2)
    }

    @Test func `calls that wait get the connection in their order`() async throws {
        let pool = pool(1)
        let (order, held) = (SharedList<Int>(), DispatchSemaphore(value: 0))
        let holder = Task.detached(priority: .high) { try await pool.schedule(for: "holder") { _ in held.wait() } }
        try #require(await eventually { pool.snapshot.holders.count == 1 })
        var calls: [Task<Void, any Error>] = []
        for number in 0..<20 {
            if number.isMultiple(of: 2) {
                calls.append(
                    Task.detached(priority: .high) {
                        try await pool.schedule(for: "call") { _ in order.append(number) }
                    })
            } else {
                calls.append(
                    Task.detached(priority: .high) {
                        try await Self.onThread { try pool.withConnection(for: "call") { _ in order.append(number) } }
                    })
            }
            try #require(await eventually { pool.snapshot.waitingCount == number + 1 })
        }
        held.signal()
        for call in calls { try await call.value }
        try await holder.value
        #expect(order.elements == Array(0..<20))
    }

    /// Runs a closure on a thread of its own.
    static func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    @Test func `a wait ends at its deadline, with an error that names the slowest holder`() async throws {
        let pool = pool(2)
        let (held, canceller) = (DispatchSemaphore(value: 0), SharedList<StatementCanceller>())
        let sleeper = Task.detached(priority: .high) {
            try await pool.schedule(for: "a slow report") { connection in
                canceller.append(connection.canceller)
                _ = try? connection.run("SELECT pg_sleep(663)")
            }
        }
        try #require(await eventually { canceller.elements.first?.sql != nil })
        clock.advance(by: .seconds(3))
        let holder = Task.detached(priority: .high) {
            try await pool.schedule(for: "a second call") { _ in held.wait() }
        }
        try #require(await eventually { pool.snapshot.holders.count == 2 })
        let deadlines = [deadline(60), deadline(10), deadline(5)]
        let calls = deadlines.enumerated().map { index, deadline in
            Task.detached(priority: .high) { () -> ServerError? in
                do {
                    if index == 2 {
                        try await Self.onThread { try pool.withConnection(for: "late", until: deadline) { _ in } }
                    } else {
                        try await pool.schedule(for: "waiting", until: deadline) { _ in }
                    }
                    return nil
                } catch { return error as? ServerError }
            }
        }
        try #require(await eventually { pool.snapshot.waitingCount == 3 && clock.nextAlarm == .seconds(5) })
        clock.advance(by: .seconds(5))
        let late = try #require(await calls[2].value)
        #expect(late.kind == .unavailable)
        #expect(late.message.contains("within 5s: the limit is 2"))
        #expect(late.message.contains("the slowest call is a slow report, which has held its connection for 8s"))
        #expect(late.message.contains("and is running: SELECT pg_sleep(663)"))
        #expect(late.message.contains("postgres://postgres@"))
        clock.advance(by: .seconds(5))
        #expect(await calls[1].value?.kind == .unavailable)
        #expect(pool.snapshot.waitingCount == 1)
        held.signal()
        #expect(await calls[0].value == nil)
        sleeper.cancel()
        _ = try? await sleeper.value
        try await holder.value
    }

    @Test func `a cancelled call leaves the queue`() async throws {
        let pool = pool(1)
        let held = DispatchSemaphore(value: 0)
        let holder = Task.detached(priority: .high) { try await pool.schedule(for: "holder") { _ in held.wait() } }
        try #require(await eventually { pool.snapshot.holders.count == 1 })
        let ran = Counter()
        let call = Task.detached(priority: .high) { try await pool.schedule(for: "call") { _ in ran.add() } }
        try #require(await eventually { pool.snapshot.waitingCount == 1 })
        call.cancel()
        let error = await #expect(throws: ServerError.self) { try await call.value }
        #expect(error?.kind == .cancelled)
        #expect(pool.snapshot.waitingCount == 0 && ran.value == 0)
        // A token ends the wait of a synchronous call.
        let token = InterruptToken()
        let waiting = Task.detached(priority: .high) {
            try await Self.onThread { try pool.withConnection(for: "call", token: token) { _ in ran.add() } }
        }
        try #require(await eventually { pool.snapshot.waitingCount == 1 })
        token.interrupt(.cancelled)
        let second = await #expect(throws: ServerError.self) { try await waiting.value }
        #expect(second?.kind == .cancelled && ran.value == 0)
        held.signal()
        try await holder.value
        #expect(try await pool.schedule(for: "next") { _ in 5 } == 5)
    }

    @Test func `a cancelled task stops its running statement`() async throws {
        let pool = pool(1)
        let canceller = SharedList<StatementCanceller>()
        let call = Task.detached(priority: .high) {
            try await pool.schedule(for: "call") { connection in
                canceller.append(connection.canceller)
                try connection.run("SELECT pg_sleep(664)")
            }
        }
        try #require(await eventually { canceller.elements.first?.sql != nil })
        call.cancel()
        let error = await #expect(throws: ServerError.self) { _ = try await call.value }
        #expect(error?.kind == .cancelled)
        // A task that was cancelled before sends nothing.
        let cancelled = Task.detached(priority: .high) {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pool.schedule(for: "call") { try $0.integer("SELECT 1::bigint") }
        }
        await #expect(throws: ServerError.self) { _ = try await cancelled.value }
        #expect(try await pool.schedule(for: "next") { try $0.integer("SELECT 2::bigint") } == 2)
    }

    @Test func `a nested call that would wait for itself is an error at once`() throws {
        let pool = pool(1)
        let error = serverError {
            try pool.withConnection(for: "outer") { _ in try pool.withConnection(for: "inner") { _ in } }
        }
        #expect(error?.kind == .misuse)
        #expect(error?.message.contains("the only connection") == true)
        #expect(try pool.withConnection(for: "next") { try $0.integer("SELECT 1::bigint") } == 1)
    }

    @Test func `nested calls of several threads that wait for each other are an error`() async throws {
        let pool = pool(3)
        let inside = Counter()
        let outcomes = await withTaskGroup(of: ServerError?.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    do {
                        try await pool.schedule(for: "outer") { _ in
                            inside.add()
                            _ = wait { inside.value == 3 }
                            try pool.withConnection(for: "inner") { _ in }
                        }
                        return nil
                    } catch { return error as? ServerError }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // The one that completes the circle fails, and lets the two that wait go on.
        #expect(outcomes.compactMap(\.self).map(\.kind) == [.misuse])
        #expect(outcomes.count == 3)
        #expect(pool.snapshot.holders.isEmpty)
    }

    @Test func `a lost connection is replaced`() throws {
        let pool = pool(1)
        let pid = try pool.withConnection(for: "a") { $0.processID }
        try database.connection.run("SELECT pg_terminate_backend(\(pid))")
        let ended = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid)"
        #expect(try wait { try database.connection.integer(ended) == 0 })
        #expect(try pool.withConnection(for: "b") { try $0.integer("SELECT 1::bigint") } == 1)
        // One that is lost while it is used.
        #expect(
            serverError {
                try pool.withConnection(for: "c") { try $0.run("SELECT pg_terminate_backend(pg_backend_pid())") }
            }?.kind == .unavailable)
        #expect(try pool.withConnection(for: "d") { try $0.integer("SELECT 1::bigint") } == 1)
    }

    @Test func `a server that cannot be reached is an error that says since when`() throws {
        let pool = pool(1) { $0.hosts = [.init("/nowhere")] }
        let first = try #require(serverError { try pool.withConnection(for: "a") { _ in } })
        #expect(first.kind == .unavailable && !first.message.contains("could be opened for"))
        clock.advance(by: .seconds(90))
        let second = try #require(serverError { try pool.withConnection(for: "b") { _ in } })
        #expect(second.message.hasSuffix("no connection could be opened for 1m 30s"))
        #expect(pool.snapshot.holders.isEmpty)
    }
}
#endif
