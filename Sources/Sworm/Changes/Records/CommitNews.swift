import SwormPredicates

/// The commits that a long-lived context has not merged yet. It may be used on any thread.
final class CommitNews: Sendable {
    private struct State: Sendable {
        var waiting: CommittedChanges?
        /// Whether the owner knows that commits wait.
        var isAnnounced = false
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
            if state.waiting == nil { state.waiting = changes } else { state.waiting?.merge(changes) }
            defer { state.isAnnounced = true }
            return !state.isAnnounced
        }
        if isFirst { onFirst() }
    }

    /// Notes that anything may have changed, because a merge has failed. The next commit is announced to the owner.
    func noteAnything() { state.withLock { ($0.waiting, $0.isAnnounced) = (.unknown, false) } }

    /// Announces the commits that wait to the owner again, because the container was resumed.
    func resume() {
        let isWaiting = state.withLock { state in
            state.isAnnounced = state.waiting != nil
            return state.isAnnounced
        }
        if isWaiting { onFirst() }
    }

    /// Returns the commits that wait, and forgets them.
    func take() -> CommittedChanges? {
        state.withLock { state in
            defer { (state.waiting, state.isAnnounced) = (nil, false) }
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

/// The news of the lasting contexts of a container, which are announced again when the container is resumed.
final class ContainerNews: Sendable {
    private struct WeakNews: Sendable {
        weak var news: CommitNews?
    }

    private let all = Locked<[WeakNews]>([])

    func add(_ news: CommitNews) {
        all.withLock { all in
            all.removeAll { $0.news == nil }
            all.append(WeakNews(news: news))
        }
    }

    func resume() { for news in all.withLock({ $0.compactMap(\.news) }) { news.resume() } }
}
