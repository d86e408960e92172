#if PostgreSQL
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("The order of calls at a pool")
struct PoolStateTests {
    private let start = ContinuousClock.now

    private func time(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    private func call(_ thread: UInt? = nil, _ purpose: String = "call") -> PoolState.Call {
        PoolState.Call(purpose: purpose, thread: thread, since: start)
    }

    private func ticket(_ answer: PoolState.Answer) -> PoolState.Ticket? {
        if case .waits(let ticket) = answer { ticket } else { nil }
    }

    @Test func `connections are granted up to the limit, and then in order`() throws {
        var state = PoolState(limit: 2)
        #expect(state.request(call(), until: time(9)) == .granted(0))
        #expect(state.request(call(), until: time(9)) == .granted(1))
        let waiting = (0..<3).compactMap { _ in ticket(state.request(call(), until: time(9))) }
        #expect(waiting.count == 3 && state.waitingCount == 3)
        #expect(state.release(1, at: time(1)) == waiting[0])
        #expect(state.release(0, at: time(1)) == waiting[1])
        #expect(state.release(0, at: time(1)) == waiting[2])
        #expect(state.release(0, at: time(1)) == nil)
        #expect(state.release(0, at: time(1)) == nil)
        // The one that was used last is used first.
        #expect(state.request(call(), until: time(9)) == .granted(0))
        #expect(state.holders.count == 2)
    }

    @Test func `cancelled and late requests leave the queue`() throws {
        var state = PoolState(limit: 1)
        _ = state.request(call(), until: time(9))
        let waiting = [5, 3, 7, 3].compactMap { ticket(state.request(call(), until: time($0))) }
        #expect(state.nextDeadline == time(3))
        #expect(state.cancel(waiting[2]) == 2)
        #expect(state.cancel(waiting[2]) == nil)
        let late = state.removeLate(at: time(3))
        #expect(late.map(\.ticket) == [waiting[1], waiting[3]])
        #expect(late.map(\.ahead) == [1, 2])
        #expect(state.nextDeadline == time(5))
        #expect(state.removeLate(at: time(4)).isEmpty)
        #expect(state.release(0, at: time(4)) == waiting[0])
        #expect(state.cancel(waiting[0]) == nil)
    }

    @Test func `a wait that could never end is noticed`() {
        var state = PoolState(limit: 2)
        _ = state.request(call(1), until: time(9))
        _ = state.request(call(2), until: time(9))
        // The other call may still end.
        #expect(ticket(state.request(call(1), until: time(9))) != nil)
        #expect(state.request(call(2), until: time(9)) == .neverEnds)
        // A thread that holds nothing waits as usual.
        #expect(ticket(state.request(call(3), until: time(9))) != nil)
        var alone = PoolState(limit: 1)
        _ = alone.request(call(1), until: time(9))
        #expect(alone.request(call(1), until: time(9)) == .neverEnds)
        var scheduled = PoolState(limit: 1)
        _ = scheduled.request(call(), until: time(9))
        #expect(ticket(scheduled.request(call(1), until: time(9))) != nil)
        scheduled.assign(0, to: 5)
        #expect(scheduled.request(call(5), until: time(9)) == .neverEnds)
    }

    @Test func `the slowest holder is the one that holds for the longest time`() {
        var state = PoolState(limit: 2)
        _ = state.request(call(nil, "first"), until: time(9))
        _ = state.request(call(nil, "second"), until: time(9))
        _ = state.request(call(nil, "third"), until: time(9))
        _ = state.release(0, at: time(5))
        #expect(state.slowest?.call.purpose == "second")
        _ = state.release(1, at: time(6))
        #expect(state.slowest?.call.purpose == "third" && state.slowest?.call.since == time(5))
    }

    @Test func `a closed pool rejects requests and ends those that wait`() {
        var state = PoolState(limit: 1)
        _ = state.request(call(), until: time(9))
        let waiting = ticket(state.request(call(), until: time(9)))
        #expect(state.close() == [waiting].compactMap(\.self))
        #expect(state.request(call(), until: time(9)) == .isClosed)
        #expect(state.release(0, at: time(1)) == nil)
    }

    private func writer() -> PoolState.Call {
        PoolState.Call(purpose: "write", thread: nil, since: start, takesTurn: true)
    }

    @Test func `one call at a time has the turn, and those that wait for it hold no connections`() {
        var state = PoolState(limit: 3)
        #expect(state.request(writer(), until: time(9)) == .granted(0))
        let writers = (0..<2).compactMap { _ in ticket(state.request(writer(), until: time(9))) }
        #expect(writers.count == 2 && state.turn == 0)
        // A call that does not need the turn goes past those that wait for it.
        #expect(state.request(call(), until: time(9)) == .granted(1))
        #expect(state.request(call(), until: time(9)) == .granted(2))
        let reader = ticket(state.request(call(), until: time(9)))
        #expect(state.release(1, at: time(1)) == reader)
        // With the turn, the call that has waited for the longest time comes first.
        #expect(state.release(0, at: time(1)) == writers[0])
        #expect(state.turn == 0)
        #expect(state.release(2, at: time(1)) == nil)
        #expect(state.cancel(writers[1]) == 0)
        #expect(state.release(0, at: time(1)) == nil)
        #expect(state.turn == nil && state.holders.count == 1)
        #expect(state.request(writer(), until: time(9)) == .granted(0))
    }

    @Test func `random requests with and without the turn are granted in the order of those that are possible`() {
        var random = seededRandom()
        for _ in 0..<200 {
            let limit = 1 + random.pick(4)
            var state = PoolState(limit: limit)
            var held: [Int: Bool] = [:]
            var queue: [(ticket: PoolState.Ticket, takesTurn: Bool)] = []
            func next() -> Int? { queue.firstIndex { !$0.takesTurn || !held.values.contains(true) } }
            for step in 0..<100 {
                switch random.pick(4) {
                case 0, 1:
                    let takesTurn = random.chance(40)
                    let isPossible = held.count < limit && !(takesTurn && held.values.contains(true))
                    switch state.request(takesTurn ? writer() : call(), until: time(1 + random.pick(200))) {
                    case .granted(let number):
                        #expect(isPossible && held[number] == nil)
                        held[number] = takesTurn
                    case .waits(let ticket):
                        #expect(!isPossible)
                        queue.append((ticket, takesTurn))
                    default: Issue.record("unexpected")
                    }
                case 2:
                    guard let number = random.pick(held.keys.sorted()) else { continue }
                    held[number] = nil
                    let index = next()
                    #expect(state.release(number, at: time(step)) == index.map { queue[$0].ticket })
                    if let index { held[number] = queue.remove(at: index).takesTurn }
                default:
                    guard !queue.isEmpty else { continue }
                    let index = random.pick(queue.count)
                    #expect(state.cancel(queue.remove(at: index).ticket) == index)
                }
                #expect(Set(state.holders.keys) == Set(held.keys) && state.waitingCount == queue.count)
                #expect(held.values.count { $0 } <= 1 && (state.turn != nil) == held.values.contains(true))
                // Nothing that is possible waits.
                #expect(held.count == limit || next() == nil)
            }
        }
    }

    @Test func `random requests are granted in order, and no connection is held twice`() {
        var random = seededRandom()
        for _ in 0..<200 {
            let limit = 1 + random.pick(4)
            var state = PoolState(limit: limit)
            var (held, queue): ([Int], [PoolState.Ticket]) = ([], [])
            for step in 0..<100 {
                switch random.pick(4) {
                case 0, 1:
                    switch state.request(call(), until: time(1 + random.pick(200))) {
                    case .granted(let number):
                        #expect(!held.contains(number) && queue.isEmpty)
                        held.append(number)
                    case .waits(let ticket):
                        #expect(held.count == limit)
                        queue.append(ticket)
                    default: Issue.record("unexpected")
                    }
                case 2:
                    guard let number = random.pick(held) else { continue }
                    let next = state.release(number, at: time(step))
                    #expect(next == queue.first)
                    if next == nil { held.removeAll { $0 == number } } else { queue.removeFirst() }
                default:
                    if random.chance(50), let ticket = random.pick(queue) {
                        #expect(state.cancel(ticket) == queue.firstIndex(of: ticket))
                        queue.removeAll { $0 == ticket }
                    } else {
                        let late = Set(state.removeLate(at: time(step)).map(\.ticket))
                        queue.removeAll { late.contains($0) }
                    }
                }
                #expect(state.waitingCount == queue.count && state.holders.count == held.count)
            }
        }
    }
}
#endif
