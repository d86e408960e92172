import Dispatch
import Foundation
import SwormPredicates

/// The live requests of one container: it listens to commits, decides which requests they touch, and refreshes those in
/// one snapshot.
///
/// A commit costs the thread that has committed a lock and a lookup of the changed entities; everything else happens on
/// the center's queue.
final class LiveCenter: Sendable {
    private struct State: Sendable {
        /// How many works depend on each entity.
        var interests: [String: Int] = [:]
        /// The changes that were not handled yet.
        var pending: CommittedChanges?
        /// Whether the pending changes will be handled without another commit.
        var isScheduled = false
        /// A number that changes with each commit, also with those that no work depends on.
        var commits = 0
    }

    /// The works and the listening, which only the queue uses.
    private struct Content: Sendable {
        var works = RegisteredWorks()
        var listening: CommitListening?
        /// The works for requests that several consumers may share.
        var shared: [RequestKey: any LiveWork] = [:]
        var keys: [ObjectIdentifier: RequestKey] = [:]
        var pacing = LivePacing()
        /// The closures that run when the commits of a burst were handled; nil if no burst is being collected.
        var afterPause: [@Sendable () -> Void]?
    }

    let queue = DispatchQueue(label: "Sworm.LiveCenter", qos: .userInitiated)
    private let state = Locked(State())
    private let content = Locked(Content())
    /// The numbers of the steps that were taken, for tests.
    let steps = Locked(LiveSteps())

    // MARK: Works

    /// Adds a work, on the queue: prepares it, registers its interest, and reads it for the first time.
    ///
    /// The interest is registered before the read. A commit is then either part of the first snapshot or announced
    /// after it, and none is missed.
    func start(_ work: any LiveWork) {
        do {
            try repeating {
                try work.container.readSnapshot { context in
                    try work.prepare(in: context)
                    listen(context)
                }
            }
        } catch {
            return end(work, with: error)
        }
        register(work)
        refresh([work], after: nil)
    }

    /// Removes a work, on the queue. When no work is left, commits are not listened to any more.
    func remove(_ work: any LiveWork) {
        let (region, listening) = content.withLock { content -> (TrackedRegion?, CommitListening?) in
            let id = ObjectIdentifier(work)
            if let key = content.keys.removeValue(forKey: id) { content.shared[key] = nil }
            let region = content.works.remove(work)
            guard content.works.isEmpty else { return (region, nil) }
            defer { content.listening = nil }
            return (region, content.listening)
        }
        if let region { state.withLock { Self.change(&$0.interests, by: -1, of: region) } }
        listening?.end()
    }

    func sharedWork(_ key: RequestKey) -> (any LiveWork)? { content.withLock { $0.shared[key] } }

    func share(_ work: any LiveWork, as key: RequestKey) {
        content.withLock { content in
            content.shared[key] = work
            content.keys[ObjectIdentifier(work)] = key
        }
    }

    /// Whether no work is left, for tests.
    var isIdle: Bool { content.withLock { $0.works.isEmpty && $0.listening == nil } }

    /// Whether nothing is kept of works that have ended, for tests.
    var isForgotten: Bool {
        let hasWorks = content.withLock { content in
            !content.works.isForgotten || !content.shared.isEmpty || !content.keys.isEmpty
        }
        return !hasWorks && state.withLock { $0.interests.isEmpty }
    }

    private func register(_ work: any LiveWork) {
        let region = work.region
        // The new interest is added before the old one is removed, so that nothing is missed in between.
        state.withLock { Self.change(&$0.interests, by: 1, of: region) }
        let previous = content.withLock { $0.works.register(work, reading: region) }
        if let previous { state.withLock { Self.change(&$0.interests, by: -1, of: previous) } }
    }

    private static func change(_ interests: inout [String: Int], by difference: Int, of region: TrackedRegion) {
        for entity in region.entities {
            let count = interests[entity, default: 0] + difference
            interests[entity] = count > 0 ? count : nil
        }
    }

    // MARK: Commits

    private func listen(_ context: ManagedObjectContext) {
        guard content.withLock({ $0.listening == nil }) else { return }
        let listening = context.instance.listenToCommits(
            concerning: { [weak self] in self?.isConcerned(by: $0) ?? false },
            { [weak self] in self?.announce($0) })
        content.withLock { $0.listening = listening }
    }

    /// Counts a commit, on the thread that has committed, and returns whether its changes must be noted.
    private func isConcerned(by entities: [String]) -> Bool {
        state.withLock { state in
            state.commits += 1
            return entities.contains { state.interests[$0] != nil }
        }
    }

    /// Notes the changes of a commit, on the thread that has committed.
    private func announce(_ changes: CommittedChanges) {
        let isFirst = state.withLock { state in
            state.commits += 1
            guard Self.concerns(changes, state.interests) else { return false }
            if state.pending == nil { state.pending = changes } else { state.pending?.merge(changes) }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { handleSoon() }
    }

    private func handleSoon() {
        queue.async { [weak self] in
            guard let self else { return }
            // During a pause, the commits are handled at its end.
            if content.withLock({ $0.afterPause == nil }) { handleCommits() }
        }
    }

    /// Runs a closure on the queue after the commits that were announced before have been handled.
    func afterCommits(_ body: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            let isWaiting = content.withLock { content in
                content.afterPause?.append(body)
                return content.afterPause != nil
            }
            if !isWaiting { body() }
        }
    }

    /// Collects the commits of a burst for a while.
    private func pause(_ duration: Duration) {
        content.withLock { $0.afterPause = [] }
        queue.asyncAfter(deadline: .now() + duration / .seconds(1)) { [weak self] in
            guard let self else { return }
            let waiting = content.withLock { content in
                defer { content.afterPause = nil }
                return content.afterPause ?? []
            }
            handleCommits()
            for body in waiting { body() }
        }
    }

    private static func concerns(_ changes: CommittedChanges, _ interests: [String: Int]) -> Bool {
        changes.isUnknown || changes.rows.keys.contains { interests[$0] != nil }
            || changes.properties.keys.contains { interests[$0] != nil }
            || changes.unknownRows.contains { interests[$0] != nil }
    }

    private func handleCommits() {
        let changes = state.withLock { state in
            defer { (state.pending, state.isScheduled) = (nil, false) }
            return state.pending
        }
        guard let changes else { return }
        steps.withLock { $0.wakes += 1 }
        let touched = content.withLock { $0.works.touched(by: changes) }
        refresh(touched, after: changes)
        let pause = content.withLock { $0.pacing.pause(after: changes.ownTransactions) }
        if pause > .zero { self.pause(pause) }
    }

    // MARK: Reads

    /// The numbers of short waits, and of all, for commits that are being made while a snapshot is opened.
    private static let (yieldLimit, waitLimit) = (100, 150)

    /// Refreshes works in one snapshot, so that their results belong to the same moment.
    private func refresh(_ works: [any LiveWork], after changes: CommittedChanges?) {
        guard let container = works.first?.container else { return }
        var failed: [any LiveWork] = []
        let commits = state.withLock { $0.commits }
        do {
            try repeating {
                failed = []
                steps.withLock { $0.reads += 1 }
                try container.readSnapshot { context in
                    let snapshot = LiveSnapshot(context, changes: try visible(changes, in: context))
                    for work in works {
                        do {
                            try work.refresh(in: snapshot)
                        } catch  where isAnotherTry(works, changes) {
                            failed.append(work)
                        }
                    }
                }
            }
        } catch StoreError.Code.suspended {
            // The next commit, or ``resume()``, reads everything again.
            return state.withLock { $0.pending = .unknown }
        } catch  where isAnotherTry(works, changes) {
            failed = works
        } catch {
            return end(works[0], with: error)
        }
        // The error of one work must not end the other ones, and a changed row that cannot be decoded must not end a work
        // that does not find it. So each is read alone, and completely.
        for work in failed { refresh([work], after: .unknown) }
        // A closure may have read something else than before, and a commit to that may have come before the interest.
        let grown = works.filter { work in
            guard let known = content.withLock({ $0.works.region(of: work) }), work.region != known else {
                return false
            }
            register(work)
            return !work.region.isSubset(of: known)
        }
        if !grown.isEmpty, state.withLock({ $0.commits }) != commits { refresh(grown, after: .unknown) }
    }

    /// Whether works that have failed together, or with known changes, are read again one by one.
    private func isAnotherTry(_ works: [any LiveWork], _ changes: CommittedChanges?) -> Bool {
        works.count > 1 || changes.map { !$0.isUnknown } ?? false
    }

    /// Returns the changes that a snapshot may contain besides those of the state before: given ones, and those of commits
    /// that came after them. Otherwise a patched result could be a mixture of two states.
    private func visible(_ changes: CommittedChanges?, in context: ManagedObjectContext) throws -> CommittedChanges? {
        guard let changes, !changes.isUnknown else { return changes }
        // The snapshot begins now, and not with the first read.
        try translatingErrors { try context.instance.beginPinnedSessions() }
        // A commit that was announced by now is pending. A look announces those of other processes; the wait for those of
        // this process is short, and cheaper than reading everything.
        let listening = content.withLock { $0.listening }
        var isLooking = context.instance.hasForeignCommits
        var waits = 0
        while true {
            if isLooking { isLooking = !(listening?.notice() ?? true) }
            guard isLooking || context.instance.isCommitting else { break }
            waits += 1
            if waits > Self.waitLimit { return .unknown }
            // The thread that has committed usually needs some microseconds more, and a sleep lasts much longer.
            if waits <= Self.yieldLimit { sched_yield() } else { Thread.sleep(forTimeInterval: 0.0001) }
        }
        guard let newer = state.withLock({ $0.pending }) else { return changes }
        var all = changes
        all.merge(newer)
        return all
    }

    /// Runs a read, and repeats it at most three times after a temporary failure.
    private func repeating(_ read: () throws -> Void) throws {
        var repetition = 0
        while true {
            do {
                return try read()
            } catch  where repetition < 3 && Self.isTemporary(error) {
                repetition += 1
            }
        }
    }

    private static func isTemporary(_ error: any Error) -> Bool { StoreError.Code.timedOut ~= error }

    private func end(_ work: any LiveWork, with error: any Error) {
        work.fail(error)
        remove(work)
    }

    // MARK: The container

    /// Reads everything again after the container was suspended, because the file may have been changed.
    func resume() {
        state.withLock { ($0.pending, $0.isScheduled) = (.unknown, true) }
        handleSoon()
    }

    /// Ends all works, because the container is being closed.
    func close(with error: StoreError) {
        queue.async { [self] in
            for work in content.withLock({ $0.works.all }) { end(work, with: error) }
        }
    }
}
