import Foundation
import TestSupport
import Testing
@testable import OpenCoreData
@testable import SwormStore

@Suite("The order in which calls use a file")
struct HubStateTests {
    @Test func `the turn is given in the order of the requests`() throws {
        var state = HubState(slotLimit: 2)
        #expect(state.requestTurn(by: 1) == .granted)
        guard case .waits(let second) = state.requestTurn(by: 2), case .waits(let third) = state.requestTurn(by: nil)
        else {
            Issue.record("The turn was granted twice.")
            return
        }
        #expect(state.holder == 1 && state.isAwaited)
        #expect(state.releaseTurn() == second)
        #expect(state.holder == 2)
        #expect(state.releaseTurn() == third)
        #expect(state.holder == nil && state.turnDepth == 1)
        state.assignTurn(to: 9)
        #expect(state.holder == 9)
        #expect(state.releaseTurn() == nil && state.turnDepth == 0 && !state.isAwaited)
        #expect(state.releaseTurn() == nil)
    }

    @Test func `a thread that holds the turn gets it once more, before those that wait`() {
        var state = HubState(slotLimit: 2)
        #expect(state.requestTurn(by: 1) == .granted)
        guard case .waits(let other) = state.requestTurn(by: 2) else {
            Issue.record("The turn was granted twice.")
            return
        }
        #expect(state.requestTurn(by: 1) == .granted)
        #expect(state.releaseTurn() == nil)
        #expect(state.releaseTurn() == other)
    }

    @Test func `a withdrawn request is skipped`() {
        var state = HubState(slotLimit: 1)
        _ = state.requestTurn(by: 1)
        guard case .waits(let second) = state.requestTurn(by: 2), case .waits(let third) = state.requestTurn(by: 3)
        else { return }
        let answers = (state.cancel(second), state.cancel(second), state.releaseTurn(), state.cancel(third))
        #expect(answers == (true, false, third, false))
    }

    @Test func `slots are bounded, and calls that hold one pass`() {
        var state = HubState(slotLimit: 2)
        #expect(state.requestSlot(isPassing: false) == .granted)
        #expect(state.requestSlot(isPassing: false) == .granted)
        guard case .waits(let third) = state.requestSlot(isPassing: false) else {
            Issue.record("The limit was passed.")
            return
        }
        #expect(state.requestSlot(isPassing: true) == .granted)
        #expect(state.usedSlots == 3)
        #expect(state.releaseSlot() == [])
        #expect(state.releaseSlot() == [third])
        #expect(state.raiseSlotLimit(to: 1) == [] && state.slotLimit == 2)
    }

    @Test func `a closed gate keeps new readers out until it opens`() {
        var state = HubState(slotLimit: 4)
        #expect(state.closeGate() == .granted)
        guard case .waits(let first) = state.requestSlot(isPassing: false),
            case .waits(let second) = state.requestSlot(isPassing: false)
        else {
            Issue.record("The gate was open.")
            return
        }
        #expect(state.requestSlot(isPassing: true) == .granted)
        #expect(state.releaseSlot() == [])
        #expect(state.openGate() == [first, second])
        #expect(state.usedSlots == 2)
    }

    @Test func `a request that waits for the readers continues when the last of them has ended`() {
        var state = HubState(slotLimit: 4)
        _ = state.requestSlot(isPassing: false)
        _ = state.requestSlot(isPassing: false)
        guard case .waits(let ticket) = state.closeGate(), case .waits(let late) = state.requestSlot(isPassing: false)
        else {
            Issue.record("Nothing waits.")
            return
        }
        #expect(state.releaseSlot() == [])
        #expect(state.releaseSlot() == [ticket])
        #expect(state.openGate() == [late])
        guard case .waits(let second) = state.closeGate() else { return }
        let answers = (state.cancel(second), state.cancel(second), state.openGate(), state.releaseSlot())
        #expect(answers.0 && !answers.1 && answers.2.isEmpty && answers.3.isEmpty)
    }

    @Test func `an urgent request comes before all that wait for the turn`() {
        var state = HubState(slotLimit: 1)
        _ = state.requestTurn(by: 1)
        guard case .waits(let second) = state.requestTurn(by: 2),
            case .waits(let urgent) = state.requestTurn(by: 3, isFirst: true)
        else { return }
        #expect(state.releaseTurn() == urgent)
        #expect(state.releaseTurn() == second)
    }

    /// A run of tasks that take slots and turns, one inside of the other, give up at any point, and end.
    private struct Simulation {
        private enum Step {
            case idle, waitsForSlot(HubState.Ticket), reads, waitsForTurn(HubState.Ticket), writes

            func waits(for ticket: HubState.Ticket) -> Bool {
                switch self {
                case .waitsForSlot(let own), .waitsForTurn(let own): own == ticket
                case .idle, .reads, .writes: false
                }
            }
        }

        private var state: HubState
        private var steps: [Step]
        private var left: [Int]
        private var random: SeededRandom
        /// The requests that wait, the first to ask first.
        private var slotOrder: [HubState.Ticket] = []
        private var turnOrder: [HubState.Ticket] = []
        /// The request that waits for the readers to end.
        private var draining: HubState.Ticket?
        private(set) var trace: [String] = []

        init(seed: UInt64, tasks: Int, limit: Int) {
            random = SeededRandom(seed: seed)
            state = HubState(slotLimit: limit)
            steps = Array(repeating: .idle, count: tasks)
            left = (0..<tasks).map { _ in 3 }
        }

        /// - Returns: What was wrong; nil where everything ended as it must.
        mutating func run() -> String? {
            var rounds = 0
            while true {
                let movable = steps.indices.filter { index in
                    switch steps[index] {
                    case .idle: left[index] > 0
                    default: true
                    }
                }
                guard let index = movable.randomElement(using: &random) else { break }
                rounds += 1
                if rounds > 400 * steps.count { return "does not end" }
                if let issue = move(index) ?? check() { return issue }
            }
            _ = state.openGate()
            if state.usedSlots != 0 || state.turnDepth != 0 || state.isAwaited { return "something is left over" }
            return nil
        }

        private mutating func move(_ index: Int) -> String? {
            let gate = Int.random(in: 0..<20, using: &random)
            if gate == 0, !state.isGateClosed, case .waits(let ticket) = state.closeGate() { draining = ticket }
            if gate == 1, let ticket = draining {
                if !state.cancel(ticket) { return "a waiting request was gone" }
                draining = nil
            }
            if gate > 1, gate < 5 {
                draining = nil
                if let issue = grant(state.openGate()) { return issue }
            }
            switch steps[index] {
            case .idle:
                left[index] -= 1
                switch state.requestSlot(isPassing: false) {
                case .granted:
                    if !slotOrder.isEmpty { return "a slot was given out of order" }
                    steps[index] = .reads
                case .waits(let ticket):
                    slotOrder.append(ticket)
                    steps[index] = .waitsForSlot(ticket)
                }
            case .waitsForSlot(let ticket):
                // A cancellation, or a deadline.
                guard Int.random(in: 0..<10, using: &random) == 0 else { return nil }
                if !state.cancel(ticket) { return "a waiting request was gone" }
                slotOrder.removeAll { $0 == ticket }
                steps[index] = .idle
            case .reads:
                if Bool.random(using: &random) {
                    switch state.requestTurn(by: UInt(index + 1)) {
                    case .granted:
                        if !turnOrder.isEmpty { return "the turn was given out of order" }
                        steps[index] = .writes
                    case .waits(let ticket):
                        turnOrder.append(ticket)
                        steps[index] = .waitsForTurn(ticket)
                    }
                } else {
                    steps[index] = .idle
                    return grant(state.releaseSlot())
                }
            case .waitsForTurn(let ticket):
                guard Int.random(in: 0..<10, using: &random) == 0 else { return nil }
                if !state.cancel(ticket) { return "a waiting request was gone" }
                turnOrder.removeAll { $0 == ticket }
                steps[index] = .reads
            case .writes:
                if Int.random(in: 0..<3, using: &random) == 0 {
                    if state.requestTurn(by: UInt(index + 1)) != .granted { return "the holder waits for itself" }
                    if state.releaseTurn() != nil { return "the turn was lost" }
                }
                steps[index] = .reads
                if let next = state.releaseTurn() {
                    if turnOrder.first != next { return "the turn was given out of order" }
                    turnOrder.removeFirst()
                    guard let owner = steps.firstIndex(where: { $0.waits(for: next) }) else { return "lost" }
                    steps[owner] = .writes
                }
            }
            return nil
        }

        private mutating func grant(_ tickets: [HubState.Ticket]) -> String? {
            for ticket in tickets {
                if ticket == draining {
                    if state.usedSlots != 0 { return "somebody still reads" }
                    draining = nil
                    continue
                }
                if slotOrder.first != ticket { return "a slot was given out of order" }
                slotOrder.removeFirst()
                guard let owner = steps.firstIndex(where: { $0.waits(for: ticket) }) else { return "lost" }
                steps[owner] = .reads
            }
            return nil
        }

        /// What must hold after each step.
        private func check() -> String? {
            var (reading, writing) = (0, 0)
            for step in steps {
                switch step {
                case .idle, .waitsForSlot: continue
                case .reads, .waitsForTurn: reading += 1
                case .writes: (reading, writing) = (reading + 1, writing + 1)
                }
            }
            if reading == 0, draining != nil { return "nobody reads, and that was not said" }
            if reading != state.usedSlots || reading > state.slotLimit { return "\(reading) read" }
            if writing != state.turnDepth || writing > 1 { return "\(writing) write" }
            if writing == 0, !turnOrder.isEmpty { return "a turn was lost" }
            if !state.isGateClosed, reading < state.slotLimit, !slotOrder.isEmpty { return "a slot was lost" }
            return nil
        }
    }

    /// The number of seeds of a long run, in a release build: a hundredth of them with a thousand tasks each.
    private static let longRun = UInt64(ProcessInfo.processInfo.environment["SWORM_HUB_SEEDS"] ?? "")

    @Test func `many tasks that give up at any point lose nothing, and are served in order`() {
        for seed in 1...(Self.longRun ?? 60) {
            var simulation = Simulation(seed: seed, tasks: 20, limit: Int(1 + seed % 5))
            let issue = simulation.run()
            #expect(issue == nil, "seed \(seed) of 20 tasks")
            if issue != nil { return }
        }
        guard let longRun = Self.longRun else { return }
        for seed in 1...max(1, longRun / 100) {
            var simulation = Simulation(seed: seed, tasks: 1000, limit: 5)
            let issue = simulation.run()
            #expect(issue == nil, "seed \(seed) of 1000 tasks")
            if issue != nil { return }
        }
    }

    @Test func `a seed is replayed as it was`() {
        var (one, other) = (Simulation(seed: 7, tasks: 20, limit: 3), Simulation(seed: 7, tasks: 20, limit: 3))
        #expect(one.run() == nil && other.run() == nil)
        #expect("\(one)" == "\(other)")
    }
}
