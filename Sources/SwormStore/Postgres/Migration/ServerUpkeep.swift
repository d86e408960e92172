#if PostgreSQL
import Dispatch
import Foundation
import SwormPredicates
import SwormRows

/// The work on the tables that a store does on a thread and on connections of its own, while it is used.
final class ServerUpkeep: Sendable {
    private struct State: Sendable {
        var isEnded = false
        var token: InterruptToken?
    }

    private let state = Locked(State())
    private let running = DispatchGroup()
    /// The listeners for failures, which no call throws. The work begins before a store can be used, and has listeners.
    let warnings = StoreWarnings(keepingEarly: 20)

    /// Starts the work, unless it is running or the store is closed or suspended.
    ///
    /// - Parameter body: Does the work. The token stops it when the store is closed or suspended.
    func start(_ body: @escaping @Sendable (InterruptToken) -> Void) {
        let token = InterruptToken()
        let isFirst = state.withLock { state in
            guard !state.isEnded, state.token == nil else { return false }
            state.token = token
            running.enter()
            return true
        }
        guard isFirst else { return }
        Thread.detachNewThread { [running, self] in
            body(token)
            state.withLock { $0.token = nil }
            running.leave()
        }
    }

    /// Stops the work and waits for its end.
    func end(until end: ContinuousClock.Instant?) {
        let token = state.withLock { state in
            state.isEnded = true
            return state.token
        }
        token?.interrupt(.suspended)
        _ = wait(until: end)
    }

    /// Allows work to start again after ``end(until:)``.
    func resume() { state.withLock { $0.isEnded = false } }

    /// Waits for the end of the running work.
    ///
    /// - Returns: False if it has not ended in time.
    func wait(until end: ContinuousClock.Instant?) -> Bool {
        guard let end else {
            running.wait()
            return true
        }
        return running.wait(timeout: .now() + max(0, (end - .now) / .seconds(1))) == .success
    }
}
#endif
