import Foundation

/// Whether calls of a container may begin, and how many run.
final class CallGate: Sendable {
    enum Phase: Sendable { case open, suspended, closed }

    private struct State: Sendable {
        var phase = Phase.open
        var running = 0
    }

    private let state = Locked(State())

    /// Throws where no call may begin.
    func check() throws { try check(state.withLock { $0.phase }) }

    /// Notes that a call begins. ``leave()`` follows.
    func enter() throws {
        let phase = state.withLock { state in
            if state.phase == .open { state.running += 1 }
            return state.phase
        }
        try check(phase)
    }

    func leave() { state.withLock { $0.running -= 1 } }

    /// Lets calls begin, or no more.
    ///
    /// - Returns: False for a container that was closed: it stays so.
    @discardableResult
    func turn(_ phase: Phase) -> Bool {
        state.withLock { state in
            if state.phase == .closed, phase != .closed { return false }
            state.phase = phase
            return true
        }
    }

    var phase: Phase { state.withLock { $0.phase } }

    /// Waits until no call runs any more.
    ///
    /// - Returns: Whether that was so in time.
    func waitForCalls(until end: ContinuousClock.Instant?) -> Bool {
        // Nobody waits here often, and calls that end need not look whether somebody does.
        while state.withLock({ $0.running }) > 0 {
            if let end, ContinuousClock.now >= end { return false }
            Engine.sleep(for: .microseconds(500))
        }
        return true
    }

    private func check(_ phase: Phase) throws {
        switch phase {
        case .open: return
        case .suspended:
            throw StoreError(.suspended, "The store is suspended. Resume it before it is used.")
        case .closed:
            throw StoreError(.storeClosed, "The store was closed. Open it with another container to use it.")
        }
    }
}
