#if PostgreSQL
import Dispatch
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Closing a pool, and its real clock", .needsServer)
struct PoolClosingTests {
    private let database: TestDatabase
    init() throws { database = try TestDatabase() }

    private func pool(_ connections: Int, _ clock: any PoolClock = SystemPoolClock()) -> PostgresPool {
        let address = database.address {
            $0.connections = connections
            // A test may pause for longer than the usual timeout, while other tests run.
            $0.timeouts.statement = nil
        }
        return PostgresPool(address, clock: clock)
    }

    /// The time at which calls by the real clock give up. The tasks of a test may start long after each other, while other tests
    /// block the threads of the concurrency pool.
    private var later: ContinuousClock.Instant { .now.advanced(by: .seconds(600)) }

    @Test func `idle connections are closed at once`() throws {
        let pool = pool(2)
        let pid = try pool.withConnection(for: "a") { $0.processID }
        try pool.close(within: .seconds(5))
        #expect(
            try wait {
                try database.connection.integer("SELECT count(*) FROM pg_stat_activity WHERE pid = \(pid)") == 0
            })
        #expect(serverError { try pool.withConnection(for: "b") { _ in } }?.message.contains("were closed") == true)
        try pool.close(within: .seconds(5))
    }

    @Test func `closing ends waits, and waits for the calls that run`() async throws {
        let pool = pool(1)
        let held = DispatchSemaphore(value: 0)
        let holder = Task.detached(priority: .high) {
            try await pool.schedule(for: "holder") { connection in
                held.wait()
                return try connection.integer("SELECT 1::bigint")
            }
        }
        try #require(await eventually { pool.snapshot.holders.count == 1 })
        let later = later
        let waiting = Task.detached(priority: .high) { try await pool.schedule(for: "waiting", until: later) { _ in } }
        try #require(await eventually { pool.snapshot.waitingCount == 1 })
        let closing = Task.detached(priority: .high) {
            try await PoolTests.onThread { try pool.close(within: .seconds(600)) }
        }
        let error = await #expect(throws: ServerError.self) { try await waiting.value }
        // A wait that is too long is an error of the same kind.
        #expect(error?.kind == .unavailable && error?.message.hasSuffix("were closed") == true)
        held.signal()
        #expect(try await holder.value == 1)
        try await closing.value
        let late = await #expect(throws: ServerError.self) { try await pool.schedule(for: "late") { _ in } }
        #expect(late?.message.hasSuffix("were closed") == true)
    }

    @Test func `calls that run for too long are stopped`() async throws {
        let (clock, canceller) = (ManualClock(), SharedList<StatementCanceller>())
        let pool = pool(1, clock)
        let holder = Task.detached(priority: .high) {
            try await pool.schedule(for: "a slow report") { connection in
                canceller.append(connection.canceller)
                try connection.run("SELECT pg_sleep(665)")
            }
        }
        try #require(await eventually { canceller.elements.first?.sql != nil })
        let closing = Task.detached(priority: .high) {
            try await PoolTests.onThread { try pool.close(within: .seconds(30)) }
        }
        try #require(await eventually { clock.nextAlarm == .seconds(30) })
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: ServerError.self) { try await closing.value }
        #expect(error?.kind == .timeout)
        #expect(error?.message.contains("for a slow report") == true)
        let stopped = await #expect(throws: ServerError.self) { _ = try await holder.value }
        #expect(stopped?.kind == .cancelled)
        #expect(try await eventually { pool.snapshot.holders.isEmpty })
    }

    @Test func `calls that run no statement at that time are stopped by their next one`() async throws {
        let (clock, started, held) = (ManualClock(), Counter(), DispatchSemaphore(value: 0))
        let pool = pool(1, clock)
        try database.connection.run("CREATE TABLE t (n bigint)")
        let schema = database.schema
        let holder = Task.detached(priority: .high) {
            try await pool.schedule(for: "a slow report") { connection in
                try connection.transaction(TransactionOptions()) {
                    try connection.run("INSERT INTO \(schema).t VALUES (1)")
                    started.add()
                    held.wait()
                }
            }
        }
        try #require(await eventually { started.value == 1 })
        let closing = Task.detached(priority: .high) {
            try await PoolTests.onThread { try pool.close(within: .seconds(30)) }
        }
        try #require(await eventually { clock.nextAlarm == .seconds(30) })
        clock.advance(by: .seconds(30))
        await #expect(throws: ServerError.self) { try await closing.value }
        held.signal()
        // Not even a commit is sent.
        let stopped = await #expect(throws: ServerError.self) { _ = try await holder.value }
        #expect(stopped?.kind == .unavailable && stopped?.message.contains("are being closed") == true)
        #expect(try await eventually { pool.snapshot.holders.isEmpty })
        #expect(try database.connection.integer("SELECT count(*) FROM t") == 0)
        try pool.close(within: .seconds(5))
    }

    @Test func `several threads close at the same time`() async throws {
        let (clock, held, started) = (ManualClock(), DispatchSemaphore(value: 0), Counter())
        let pool = pool(2, clock)
        let holders = (0..<2).map { _ in
            Task.detached(priority: .high) {
                try await pool.schedule(for: "holder") { _ in
                    started.add()
                    held.wait()
                }
            }
        }
        try #require(await eventually { started.value == 2 })
        let closings = [10, 20, 500, 500].map { seconds in
            Task.detached(priority: .high) {
                try await PoolTests.onThread { serverError { try pool.close(within: .seconds(seconds)) } }
            }
        }
        try #require(await eventually { pool.withLock { pool.closers.count } == 4 })
        try #require(await eventually { clock.nextAlarm == .seconds(10) })
        clock.advance(by: .seconds(10))
        #expect(try await closings[0].value?.kind == .timeout)
        clock.advance(by: .seconds(10))
        #expect(try await closings[1].value?.kind == .timeout)
        for _ in holders { held.signal() }
        #expect(try await closings[2].value == nil)
        #expect(try await closings[3].value == nil)
        for holder in holders { try await holder.value }
    }

    @Test func `a thread that uses a connection cannot close the pool`() throws {
        let pool = pool(1)
        let error = serverError { try pool.withConnection(for: "a") { _ in try pool.close(within: .seconds(1)) } }
        #expect(error?.kind == .misuse)
        try pool.close(within: .seconds(5))
    }

    @Test func `the real clock ends waits of threads and of tasks`() async throws {
        let pool = pool(1)
        let held = DispatchSemaphore(value: 0)
        let holder = Task.detached(priority: .high) { try await pool.schedule(for: "holder") { _ in held.wait() } }
        try #require(await eventually { pool.snapshot.holders.count == 1 })
        let start = ContinuousClock.now
        let calls = (0..<6).map { number in
            let deadline = start.advanced(by: .milliseconds(50 + number * 20))
            return Task.detached(priority: .high) {
                if number.isMultiple(of: 2) {
                    try await pool.schedule(for: "call", until: deadline) { _ in }
                } else {
                    try await PoolTests.onThread { try pool.withConnection(for: "call", until: deadline) { _ in } }
                }
            }
        }
        // The connection is held until all of them have ended, so that nothing but the clock ends them.
        for call in calls {
            let error = await #expect(throws: ServerError.self) { try await call.value }
            #expect(error?.message.contains("became free") == true)
        }
        #expect(pool.snapshot.waitingCount == 0)
        held.signal()
        try await holder.value
    }

    @Test func `two hundred tasks with random cancellations lose nothing`() async throws {
        let pool = pool(4)
        var random = seededRandom()
        try database.connection.run("CREATE TABLE t (n bigint PRIMARY KEY)")
        let (schema, later) = (database.schema, later)
        let tasks = (0..<200).map { number in
            Task.detached(priority: .high) {
                try await pool.schedule(for: "call", until: later) { connection in
                    try connection.transaction(TransactionOptions(.readCommitted)) {
                        try connection.run("INSERT INTO \(schema).t VALUES ($1)", with: integers(Int64(number)))
                        try connection.run("SELECT pg_sleep(0.002)")
                    }
                }
            }
        }
        for task in tasks where random.chance(30) {
            usleep(UInt32(random.pick(2000)))
            task.cancel()
        }
        var committed: [Int64] = []
        for (number, task) in tasks.enumerated() {
            do {
                try await task.value
                committed.append(Int64(number))
            } catch let error as ServerError { #expect(error.kind == .cancelled) }
        }
        #expect(try database.connection.integers("SELECT n FROM t ORDER BY n") == committed)
        #expect(pool.snapshot.holders.isEmpty && pool.snapshot.waitingCount == 0)
        try pool.close(within: .seconds(5))
    }
}
#endif
