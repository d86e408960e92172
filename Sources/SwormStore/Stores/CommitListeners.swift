package import SwormPredicates

/// The listeners of the commits to one file: those of this process, or those of other processes.
///
/// They are called after a commit, in the order of the commits; for a commit of this process, on the thread that has
/// committed and still holds the turn. A server has no turns, so that commits of several threads may be
/// announced in another order. A listener must return soon, and must not use the store.
package final class CommitListeners: Sendable {
    package typealias Listener = @Sendable (CommittedChanges) -> Void
    /// A question that a listener answers before it is called: whether the changes of the entities with these names
    /// concern it. The changes of a commit that concerns no listener are not collected.
    package typealias Question = @Sendable (_ entities: [String]) -> Bool

    private struct Entry: Sendable {
        let number: Int
        /// The hash of the names by which the listener knows changes; nil if it knows those of all models.
        let names: Int?
        let question: Question?
        let call: Listener
    }

    private struct Content: Sendable {
        var listeners: [Entry] = []
        var lastListener = 0
        /// The number of the last commit that was announced.
        var number: UInt64 = 0
        /// The number of transactions that are being committed and announced: at most one, where there are turns.
        var committing = 0

        // Commits of other processes are announced without having begun here.
        mutating func endCommit() { committing = max(0, committing - 1) }
    }

    private let content = Locked(Content())

    init() {}

    /// The number of the last commit that was announced.
    var number: UInt64 { content.withLock { $0.number } }

    /// Whether a transaction is being committed, or was committed and is being announced.
    var isCommitting: Bool { content.withLock { $0.committing > 0 } }

    /// Notes that a transaction is about to be committed, under the turn. It is announced, or its failure is noted, before
    /// the turn is given back.
    func willCommit() { content.withLock { $0.committing += 1 } }

    /// Notes that the commit has failed.
    func didNotCommit() { content.withLock { $0.endCommit() } }

    /// Whether the changes of a transaction must be gathered.
    var isEmpty: Bool { content.withLock { $0.listeners.isEmpty } }

    /// Adds a listener. It is called for every transaction that is committed from now on, also for those that have begun.
    ///
    /// - Parameters:
    ///   - names: The ``CompiledModel/namesHash`` of the listener's model. Changes that are named otherwise are unknown to
    ///     it.
    ///   - question: Asked first if the changed entities are known. The listener is not called if the answer is no.
    /// - Returns: A number by which the listener is removed.
    func add(names: Int? = nil, concerning question: Question? = nil, _ listener: @escaping Listener) -> Int {
        content.withLock { content in
            content.lastListener += 1
            content.listeners.append(
                Entry(number: content.lastListener, names: names, question: question, call: listener))
            return content.lastListener
        }
    }

    /// Removes a listener. It may still be called for a commit of another thread that is just being announced.
    func remove(_ number: Int) { content.withLock { $0.listeners.removeAll { $0.number == number } } }

    /// Calls the listeners without a change, because transactions that were announced before can be read from the history only
    /// now.
    func announceProgress() {
        let (listeners, number) = content.withLock { ($0.listeners, $0.number) }
        var nothing = CommittedChanges()
        nothing.number = number
        for listener in listeners { listener.call(nothing) }
    }

    /// Calls the listeners after a commit.
    ///
    /// - Parameters:
    ///   - names: The ``CompiledModel/namesHash`` of the model that names the changes.
    ///   - entities: The names of all entities whose rows or properties may have changed, or nil if they are unknown.
    ///   - changes: Returns the changes, or nil if they were not gathered, because there was no listener when the
    ///     transaction began. Called only if they concern a listener.
    func announce(
        names: Int? = nil, entities: @autoclosure () -> [String]? = nil, _ changes: @autoclosure () -> CommittedChanges?
    ) {
        let (all, number) = content.withLock { content in
            content.number += 1
            return (content.listeners, content.number)
        }
        defer { content.withLock { $0.endCommit() } }
        if all.isEmpty { return }
        func knows(_ listener: Entry) -> Bool { names == nil || listener.names == nil || listener.names == names }
        let listeners =
            entities().map { entities in all.filter { !knows($0) || $0.question?(entities) ?? true } } ?? all
        if listeners.isEmpty { return }
        var changes = changes() ?? .unknown
        if changes.isEmpty { return }
        changes.number = number
        for listener in listeners { listener.call(knows(listener) ? changes : .unknown(number: number)) }
    }
}
