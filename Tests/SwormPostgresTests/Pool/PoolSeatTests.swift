#if PostgreSQL
import Dispatch
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Seats of asynchronous calls at a pool", .needsServer)
struct PoolSeatTests {
    private let database: TestDatabase
    private let clock = ManualClock()
    init() throws { database = try TestDatabase() }

    private func pool(_ connections: Int) -> PostgresPool {
        PostgresPool(
            database.address {
                $0.connections = connections
                $0.timeouts.statement = nil
            }, clock: clock)
    }

    /// The answers to requests for seats, in their order.
    private final class Answers: Sendable {
        private let list = SharedList<(Int, Result<PoolSeat, ServerError>)>()

        var numbers: [Int] { list.elements.map(\.0) }
        var seats: [PoolSeat] { list.elements.compactMap { try? $0.1.get() } }
        var errors: [ServerError] {
            list.elements.compactMap { if case .failure(let error) = $0.1 { error } else { nil } }
        }

        func request(
            _ number: Int, of pool: PostgresPool, takingTurn: Bool = false, until deadline: ContinuousClock.Instant
        ) -> (@Sendable () -> Void)? {
            pool.reserveSeat(for: "call \(number)", takingTurn: takingTurn, until: deadline) { [list] in
                list.append((number, $0))
            }
        }
    }

    private var late: ContinuousClock.Instant { clock.now.advanced(by: .seconds(60)) }

    @Test func `the thread of a call uses its connection again and again, and another one inside of that`() throws {
        let (pool, answers) = (pool(2), Answers())
        #expect(answers.request(0, of: pool, until: late) == nil)
        let seat = try #require(answers.seats.first)
        let before = try pool.withConnection(for: "elsewhere") { $0.processID }
        seat.adopt()
        let own = try (0..<3).map { _ in try pool.withConnection(for: "read") { $0.processID } }
        #expect(Set(own).count == 1 && own[0] != before)
        let pair = try pool.withConnection(for: "outer") { outer in
            try pool.withConnection(for: "inner") { [outer.processID, $0.processID] }
        }
        #expect(pair == [own[0], before])
        #expect(pool.snapshot.holders.keys.sorted() == [seat.number])
        #expect(pool.snapshot.holders[seat.number]?.purpose == "outer")
        seat.leave()
        seat.leave()
        #expect(pool.snapshot.holders.isEmpty && !pool.hasSeats)
    }

    @Test func `seats and threads wait in one queue, and leave it when they are cancelled or late`() async throws {
        let (pool, answers) = (pool(1), Answers())
        #expect(answers.request(0, of: pool, until: late) == nil)
        let cancels = (1...5).map { number in
            answers.request(number, of: pool, until: clock.now.advanced(by: .seconds(number == 3 ? 5 : 60)))
        }
        let thread = Task.detached(priority: .high) { [late] in
            try await PoolTests.onThread { try pool.withConnection(for: "thread", until: late) { _ in } }
        }
        try #require(await eventually { pool.snapshot.waitingCount == 6 })
        #expect(pool.snapshot.waitingCalls.map { $0.thread == nil } == Array(repeating: true, count: 5) + [false])
        cancels[1]?()
        #expect(answers.errors.map(\.kind) == [.cancelled])
        clock.advance(by: .seconds(5))
        #expect(answers.errors.map(\.kind) == [.cancelled, .unavailable] && answers.errors[1].isOfFullPool)
        #expect(pool.snapshot.waitingCount == 4)
        // Its time is over, and a cancellation changes nothing.
        cancels[2]?()
        for _ in 0..<4 { try #require(answers.seats.last).leave() }
        #expect(answers.numbers == [0, 2, 3, 1, 4, 5])
        try await thread.value
        #expect(pool.snapshot.holders.isEmpty && pool.snapshot.waitingCount == 0 && !pool.hasSeats)
    }

    @Test func `a turn that does not come in time is named, and not the pool`() throws {
        let (pool, answers) = (pool(3), Answers())
        #expect(answers.request(0, of: pool, takingTurn: true, until: late) == nil)
        #expect(answers.request(1, of: pool, takingTurn: true, until: clock.now.advanced(by: .seconds(5))) != nil)
        #expect(answers.request(2, of: pool, until: late) == nil)
        clock.advance(by: .seconds(5))
        let error = try #require(answers.errors.first)
        #expect(error.kind == .timeout && !error.isOfFullPool)
        #expect(error.message.contains("did not come within 5s: 0 calls were waiting in front"))
        #expect(error.message.contains("the call that has the turn is call 0, which has held its connection for 5s"))
        for seat in answers.seats { seat.leave() }
    }

    @Test func `a connection that is still used returns to the pool after its call`() async throws {
        let (pool, answers) = (pool(1), Answers())
        #expect(answers.request(0, of: pool, until: late) == nil)
        let seat = try #require(answers.seats.first)
        seat.adopt()
        let pooled = try pool.take(for: "view", until: nil)
        #expect(answers.request(1, of: pool, until: late) != nil)
        seat.leave()
        #expect(answers.numbers == [0])
        pool.giveBack(pooled)
        #expect(answers.numbers == [0, 1])
        answers.seats[1].leave()
        #expect(pool.snapshot.holders.isEmpty && !pool.hasSeats)
    }

    @Test func `closing does not wait for calls that only have a seat, and reopening lets them continue`() throws {
        let (pool, answers) = (pool(2), Answers())
        #expect(answers.request(0, of: pool, until: late) == nil)
        let seat = try #require(answers.seats.first)
        seat.adopt()
        let process = try pool.withConnection(for: "read") { $0.processID }
        try pool.close(within: .zero)
        #expect(
            try wait {
                try database.connection.integer("SELECT count(*) FROM pg_stat_activity WHERE pid = \(process)") == 0
            })
        #expect(serverError { try pool.withConnection(for: "read") { _ in } }?.message.contains("were closed") == true)
        #expect(answers.request(1, of: pool, until: late) == nil)
        #expect(answers.errors.first?.message.contains("were closed") == true)
        pool.reopen()
        #expect(try pool.withConnection(for: "read") { $0.processID } != process)
        #expect(pool.snapshot.holders.keys.sorted() == [seat.number])
        let pooled = try pool.take(for: "view", until: nil)
        #expect(serverError { try pool.close(within: .zero) }?.waitsForItself == true)
        pool.giveBack(pooled)
        seat.leave()
        #expect(pool.snapshot.holders.isEmpty)
        try pool.close(within: .zero)
    }

    @Test func `jobs of seats run on the threads of their connections, also after the pool was reopened`() async throws
    {
        let (pool, answers, threads) = (pool(2), Answers(), SharedList<UInt>())
        for round in 0..<2 {
            for number in 0..<20 { _ = answers.request(round * 20 + number, of: pool, until: late) }
            for index in 0..<20 {
                let seat = try #require(answers.seats.dropFirst(round * 20 + index).first)
                await withCheckedContinuation { continuation in
                    seat.run {
                        seat.adopt()
                        threads.append(PooledConnection.thread)
                        seat.leave()
                        continuation.resume()
                    }
                }
            }
            // A thread that has had nothing to do for a while ends, and another one takes over.
            #expect(Set(threads.elements).count <= 4 * (round + 1))
            try pool.close(within: .zero)
            pool.reopen()
        }
        #expect(threads.elements.count == 40)
    }
}
#endif
