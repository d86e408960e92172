package import SwormPredicates

/// The listeners of the commits to one file: those of this process, or those of other processes.
///
/// They are called after a commit, in the order of the commits; for a commit of this process, on the thread that has
/// committed and still holds the turn. A listener must return soon, and must not use the store.
package final class CommitListeners: Sendable {
    package typealias Listener = @Sendable (CommittedChanges) -> Void

    private struct Content: Sendable {
        var listeners: [Int: Listener] = [:]
        var lastListener = 0
        /// The number of the last commit that was announced.
        var number: UInt64 = 0
    }

    private let content = Locked(Content())

    init() {}

    /// Whether the changes of a transaction must be gathered.
    var isEmpty: Bool { content.withLock { $0.listeners.isEmpty } }

    /// Adds a listener. It is called for every transaction that is committed from now on, also for those that have begun.
    ///
    /// - Returns: A number by which the listener is removed.
    func add(_ listener: @escaping Listener) -> Int {
        content.withLock { content in
            content.lastListener += 1
            content.listeners[content.lastListener] = listener
            return content.lastListener
        }
    }

    /// Removes a listener. It may still be called for a commit of another thread that is just being announced.
    func remove(_ number: Int) { content.withLock { _ = $0.listeners.removeValue(forKey: number) } }

    /// Calls the listeners after a commit.
    ///
    /// - Parameter changes: The changes, or nil if they were not gathered, because there was no listener when the
    ///   transaction began.
    func announce(_ changes: CommittedChanges?) {
        let (listeners, number) = content.withLock { content in
            content.number += 1
            return (content.listeners.values.map { $0 }, content.number)
        }
        guard !listeners.isEmpty else { return }
        var changes = changes ?? .unknown
        if changes.isEmpty { return }
        changes.number = number
        for listener in listeners { listener(changes) }
    }
}
