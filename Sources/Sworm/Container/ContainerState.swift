import Foundation
import SwormPredicates

/// The state that decides whether calls of a container may start, and the number of calls that are running.
///
/// A container is open, being suspended, suspended (and open again once resumed), and finally being closed, and closed.
/// Only one thread changes the phase at a time; other threads wait in ``changing(_:until:_:)``. A change that fails
/// leaves the container in the intermediate phase: no new call starts, and the change can be retried.
final class ContainerState: Sendable {
    enum Phase: Sendable { case open, suspending, suspended, closing, closed }

    private struct State: Sendable {
        var phase = Phase.open
        var running = 0
    }

    private let state = Locked(State())
    private let change = NSLock()

    /// Throws an error if no call may start.
    func check() throws { try check(state.withLock { $0.phase }) }

    /// Records the start of a call. The caller must balance it with ``leave()``.
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
    /// - Parameter end: The time at which to stop waiting for another change; nil to wait without a limit.
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

    /// Moves to a phase, inside of ``changing(_:until:_:)``.
    func turn(_ phase: Phase) { state.withLock { $0.phase = phase } }

    var phase: Phase { state.withLock { $0.phase } }

    /// The number of calls that are running.
    var running: Int { state.withLock { $0.running } }

    /// Waits until no call is running.
    ///
    /// - Returns: Whether all calls ended in time.
    func waitForCalls(until end: ContinuousClock.Instant?) -> Bool {
        // Polling is enough: waiting here is rare, and a call that ends then does not have to check for a waiting
        // thread.
        while state.withLock({ $0.running }) > 0 {
            if let end, ContinuousClock.now >= end { return false }
            CurrentThread.sleep(for: .microseconds(500))
        }
        return true
    }

    private func check(_ phase: Phase) throws {
        switch phase {
        case .open: return
        case .suspending, .suspended:
            throw StoreError(.suspended, "The store is suspended. Resume it before using it.")
        case .closing, .closed:
            throw Self.closed
        }
    }

    static var closed: StoreError {
        StoreError(.storeClosed, "The store was closed. Create another container to use it.")
    }
}
