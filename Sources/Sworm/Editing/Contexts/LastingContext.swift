import SwormPredicates

/// A context that outlives single calls: that of an actor, of an editing context, or of the main actor.
///
/// Its handles work whenever its owner runs. Between the owner's jobs, it merges the commits of other contexts,
/// containers and processes; within a job, the objects that it holds change only by the owner's own changes.
///
/// It is used by one thread at a time.
final class LastingContext {
    let instance: NSManagedObjectContext
    let context: ManagedObjectContext
    let news: CommitNews
    let calls: RunningCalls
    let scope: Scope
    let permission = WritePermission()
    private let gate: ContainerState
    let writeTurn: WriteTurn
    private let listening: CommitListening
    /// How many closures run inside each other.
    private var depth = 0
    /// Whether objects with unsaved changes are not merged, so that saving them is a conflict.
    private let postponesConflicts: Bool
    /// The commits that have changed objects with unsaved changes.
    private var postponed: CommittedChanges?
    /// Whether a closure of ``snapshot(_:)`` or ``transaction(_:)`` is running.
    var isInTransaction = false
    /// A closure that receives what a merge has found.
    var onMerge: (MergedCommits) -> Void = { _ in }

    /// - Parameters:
    ///   - store: The container, which the context does not hold.
    ///   - owner: The kind of owner.
    ///   - news: The commits to merge.
    init(_ store: PersistentContainer, for owner: ScopeOwner, news: CommitNews) throws {
        try store.gate.check()
        let given = try store.makeContext()
        defer { store.spareContexts?.keep(given) }
        instance = NSManagedObjectContext(
            concurrencyType: owner == .actor ? .privateQueueConcurrencyType : .mainQueueConcurrencyType)
        instance.persistentStoreCoordinator = given.persistentStoreCoordinator
        // The edits of an editing context have precedence, property by property, which the merges see to.
        instance.mergePolicy = owner == .editor ? NSMergePolicy.error : given.mergePolicy
        postponesConflicts = owner == .actor
        instance.name = given.name
        instance.transactionAuthor = given.transactionAuthor
        store.listen(to: given)
        (calls, gate, writeTurn, self.news) = (store.calls, store.gate, store.writeTurn, news)
        scope = Scope(thread: 0, calls: calls, permission: permission, owner: owner)
        context = ManagedObjectContext(instance, scope: scope, bindings: BindingCache(instance, store.bindings))
        listening = instance.listenToCommits { [news] in news.note($0) }
        store.news.add(news)
    }

    /// Ends the scope: handles can no longer be used.
    func end() {
        listening.end()
        scope.close()
        context.end()
    }

    // MARK: Jobs

    /// Runs a closure in which handles work, on the thread that holds the context. Commits are merged before it.
    func run<R>(_ body: () throws -> R) rethrows -> R {
        guard depth == 0 else { return try body() }
        let isAdmitted = enter()
        depth = 1
        defer {
            depth = 0
            leave(isAdmitted)
        }
        return try body()
    }

    /// Runs a closure like ``run(_:)``, unless the container is closed or suspended.
    func runIfOpen<R>(_ body: () throws -> R) throws -> R {
        try instance.performAndWait {
            if depth == 0 { try gate.check() }
            return try run(body)
        }
    }

    /// Runs a closure that cannot change objects.
    func reading<R>(_ body: () throws -> R) throws -> R {
        let result = try permission.limited(to: .read, body)
        try throwFailure()
        return result
    }

    /// Whether the calling thread is inside of ``run(_:)``.
    var isRunning: Bool { scope.isActive }

    /// Makes the context usable on the calling thread.
    ///
    /// - Returns: Whether the container is open. If it is not, handles throw its error.
    func enter() -> Bool {
        do {
            try gate.enter()
        } catch {
            scope.block(with: error as? StoreError)
            return false
        }
        scope.block(with: nil)
        scope.move(to: CurrentThread.number)
        calls.enterJob()
        // A program may know of the commit of another process before the watch of the file does.
        listening.notice()
        mergeCommits()
        return true
    }

    func leave(_ isAdmitted: Bool) {
        guard isAdmitted else { return }
        calls.leaveJob()
        scope.move(to: 0)
        gate.leave()
    }

    /// Makes all changes throw an error from now on.
    func beReadOnly() { permission.refuse() }

    /// Merges the commits that wait. An error leaves them waiting.
    ///
    /// - Returns: The commits, or nil if there were none.
    @discardableResult
    func mergeCommits() -> CommittedChanges? {
        guard let changes = news.take() else { return nil }
        merge(changes)
        return changes
    }

    /// Merges the commits that wait, unless the container is closed or suspended.
    func mergeCommitsIfOpen() {
        do { try gate.enter() } catch { return }
        defer { gate.leave() }
        mergeCommits()
    }

    /// Merges the commits that could not be merged into objects with unsaved changes, which have none any more.
    private func mergePostponed() {
        guard let changes = postponed else { return }
        postponed = nil
        merge(changes)
    }

    private func merge(_ changes: CommittedChanges) {
        do {
            let merged = try translatingErrors {
                try instance.mergeCommits(changes, postponingConflicts: postponesConflicts)
            }
            if merged.isPostponed {
                if postponed == nil { postponed = changes } else { postponed?.merge(changes) }
            }
            onMerge(merged)
        } catch {
            news.noteAnything()
            calls.logError?(error)
        }
    }

    // MARK: Saving

    /// The number of objects with unsaved changes.
    var changeCount: Int {
        instance.insertedObjects.union(instance.unsavedDeletions).count
            + instance.updatedObjects.filter { $0.hasPersistentChangedValues && !$0.isInserted }.count
    }

    /// Whether a save would write something.
    var hasChanges: Bool {
        guard instance.hasChanges else { return false }
        return !instance.insertedObjects.isEmpty || !instance.unsavedDeletions.isEmpty
            || instance.updatedObjects.contains(where: \.hasPersistentChangedValues)
    }

    /// Saves the unsaved changes. After an error, they remain.
    func save() throws {
        if let failure = scope.takeFailure() { throw failure }
        guard instance.hasChanges else { return }
        try translatingErrors { try news.ignoringOwnCommits { try instance.save() } }
        mergePostponed()
    }

    func rollback() {
        _ = scope.takeFailure()
        instance.rollback()
        mergePostponed()
    }

    /// Learns of the commits of other processes until now.
    func noticeCommits() { listening.notice() }

    /// Removes the error of an operation that could not throw it.
    func takeFailure() -> StoreError? { scope.takeFailure() }

    /// Sets the error of an earlier operation again.
    func restoreFailure(_ error: StoreError?) { if let error { scope.restore(error) } }

    func discardFailure() { _ = scope.takeFailure() }

    /// Throws the error of an operation that could not throw it.
    func throwFailure() throws {
        if let failure = scope.takeFailure() { throw failure }
    }
}
