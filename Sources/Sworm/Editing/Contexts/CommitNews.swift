import SwormPredicates

/// The commits that a long-lived context has not merged yet. It may be used on any thread.
final class CommitNews: Sendable {
    private struct State: Sendable {
        var waiting: CommittedChanges?
        /// The thread on which the context itself is committing.
        var committing: UInt?
    }

    private let state = Locked(State())
    /// A closure that is called when the first of several commits waits.
    private let onFirst: @Sendable () -> Void

    init(onFirst: @escaping @Sendable () -> Void = {}) { self.onFirst = onFirst }

    /// Notes a commit, on the thread that has committed.
    func note(_ changes: CommittedChanges) {
        let isFirst = state.withLock { state in
            // The context knows what it has committed itself.
            if state.committing == CurrentThread.number { return false }
            guard state.waiting == nil else {
                state.waiting?.merge(changes)
                return false
            }
            state.waiting = changes
            return true
        }
        if isFirst { onFirst() }
    }

    /// Notes that anything may have changed.
    func noteAnything() { state.withLock { $0.waiting = .unknown } }

    /// Returns the commits that wait, and forgets them.
    func take() -> CommittedChanges? {
        state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
    }

    /// Runs a closure in which the context commits. Its own commits are not noted.
    func ignoringOwnCommits<R>(_ body: () throws -> R) rethrows -> R {
        let outer = state.withLock { state in
            defer { state.committing = CurrentThread.number }
            return state.committing
        }
        defer { state.withLock { $0.committing = outer } }
        return try body()
    }
}
