#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// The listeners of the commits of this process, by the tables that they concern.
///
/// Stores that use the same tables share them, whichever addresses they have.
enum ServerCommits {
    private struct Entry: Sendable {
        weak var listeners: CommitListeners?
    }

    private struct Watch: Sendable {
        weak var watch: ServerWatch?
    }

    private static let entries = Locked<[ServerHome: Entry]>([:])
    /// The watches of the stores that share listeners.
    private static let watches = Locked<[ObjectIdentifier: [Watch]]>([:])

    static func listeners(of home: ServerHome) -> CommitListeners {
        entries.withLock { entries in
            if let present = entries[home]?.listeners { return present }
            entries = entries.filter { $0.value.listeners != nil }
            let new = CommitListeners()
            entries[home] = Entry(listeners: new)
            return new
        }
    }

    static func add(_ watch: ServerWatch, of commits: CommitListeners) {
        watches.withLock { $0[ObjectIdentifier(commits), default: []].append(Watch(watch: watch)) }
    }

    static func remove(_ watch: ServerWatch, of commits: CommitListeners) {
        watches.withLock { all in
            let rest = all[ObjectIdentifier(commits)]?.filter { $0.watch != nil && $0.watch !== watch } ?? []
            all[ObjectIdentifier(commits)] = rest.isEmpty ? nil : rest
        }
    }

    static func watches(of commits: CommitListeners) -> [ServerWatch] {
        watches.withLock { $0[ObjectIdentifier(commits)]?.compactMap(\.watch) ?? [] }
    }
}

extension PostgresStore {
    /// The watch for commits of other processes, which a store has while it has listeners.
    struct Watching: Sendable {
        var listeners = 0
        var watch: ServerWatch?
        /// Whether there is no watch although there are listeners, because the store is closed or suspended.
        var isOff = false
    }

    package func listen(
        concerning question: CommitListeners.Question?, _ listener: @escaping CommitListeners.Listener
    ) -> @Sendable () -> Void {
        let own = commits.add(names: model.namesHash, concerning: question, listener)
        let foreign = foreignListeners.add(listener)
        watching.withLock { $0.listeners += 1 }
        startWatching()
        return { [weak self, commits, foreignListeners] in
            commits.remove(own)
            foreignListeners.remove(foreign)
            guard let self else { return }
            let last = watching.withLock { watching -> ServerWatch? in
                watching.listeners -= 1
                guard watching.listeners == 0 else { return nil }
                defer { watching.watch = nil }
                return watching.watch
            }
            if let last { end(last) }
        }
    }

    /// Starts the watch, if there are listeners and it is not running.
    private func startWatching() {
        let watch = watching.withLock { watching -> ServerWatch? in
            guard watching.listeners > 0, watching.watch == nil, !watching.isOff else { return nil }
            let watch = ServerWatch(
                self, announce: { [foreignListeners] in foreignListeners.announce($0) },
                announceProgress: { [foreignListeners] in foreignListeners.announceProgress() })
            watching.watch = watch
            return watch
        }
        guard let watch else { return }
        ServerCommits.add(watch, of: commits)
        watch.start()
    }

    /// Ends the watch, because the store is being closed or suspended, and returns it.
    @discardableResult
    func stopWatching() -> ServerWatch? {
        let watch = watching.withLock { watching in
            watching.isOff = true
            defer { watching.watch = nil }
            return watching.watch
        }
        if let watch { end(watch) }
        return watch
    }

    /// Ends the watch and waits until its connections are closed, because the store is being suspended.
    func pauseWatching(until end: ContinuousClock.Instant) { stopWatching()?.waitForEnd(until: end) }

    /// Starts the watch again after ``pauseWatching(until:)``.
    func resumeWatching() {
        watching.withLock { $0.isOff = false }
        startWatching()
        // The commits since then were not noticed.
        var changes = CommittedChanges.unknown
        changes.isForeign = true
        foreignListeners.announce(changes)
    }

    private func end(_ watch: ServerWatch) {
        ServerCommits.remove(watch, of: commits)
        watch.stop()
    }

    // MARK: Commits

    package var isCommitting: Bool { commits.isCommitting }

    // Only the server knows, and a look announces them at the same time.
    package var hasForeignCommits: Bool { watching.withLock { $0.watch != nil } }

    package func noticeCommits() -> Bool { watching.withLock { $0.watch }?.lookNow() ?? true }

    /// Notes the transactions of the history that were committed, before they are announced, and wakes other processes.
    func didCommit(_ transactions: [WrittenTransaction]) {
        let late = transactions.filter { !$0.isBehindHorizon }.map(\.number)
        if !late.isEmpty { for watch in ServerCommits.watches(of: commits) { watch.expect(late) } }
        bell.ring()
    }
}
#endif
