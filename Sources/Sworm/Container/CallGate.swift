import Foundation
import SwormPredicates

/// Whether calls of a container may begin, and how many run.
///
/// A container is open, or is being suspended, or is suspended, and open again when it was resumed; in the end it is being closed, and
/// closed. One thread at a time changes that; another one waits for it, in ``changing(_:until:_:)``. A change that fails leaves the
/// container on its way: nothing new begins, and the change can be tried again.
final class CallGate: Sendable {
    enum Phase: Sendable { case open, suspending, suspended, closing, closed }

    private struct State: Sendable {
        var phase = Phase.open
        var running = 0
    }

    private let state = Locked(State())
    private let change = NSLock()

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

    // MARK: Changes

    /// Runs a closure that changes the phase, while no other thread does.
    ///
    /// - Parameter end: When to give up waiting for that; nil for never.
    func changing(
        _ action: String, until end: ContinuousClock.Instant? = nil, _ body: () throws -> Void
    ) throws {
        if let end {
            let seconds = (end - .now) / .seconds(1)
            guard change.lock(before: Date(timeIntervalSinceNow: min(seconds, 1e8))) else {
                throw StoreError(
                    .timedOut,
                    "The store was not \(action) in time: another thread is suspending, resuming or closing it. Try again."
                )
            }
        } else {
            change.lock()
        }
        defer { change.unlock() }
        try body()
    }

    /// Goes on to a phase, inside of ``changing(_:until:_:)``.
    func turn(_ phase: Phase) { state.withLock { $0.phase = phase } }

    var phase: Phase { state.withLock { $0.phase } }

    /// The number of calls that run.
    var running: Int { state.withLock { $0.running } }

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
        case .suspending, .suspended:
            throw StoreError(.suspended, "The store is suspended. Resume it before it is used.")
        case .closing, .closed:
            throw StoreError(.storeClosed, "The store was closed. Open it with another container to use it.")
        }
    }
}
