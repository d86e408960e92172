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
    private let scope: Scope
    private let permission = WritePermission()
    private let gate: ContainerState
    private let writeTurn: WriteTurn
    private let listening: CommitListening
    /// How many closures run inside each other.
    private var depth = 0
    /// Whether a closure of ``snapshot(_:)`` or ``transaction(_:)`` is running.
    private var isInTransaction = false
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
        instance.mergePolicy = given.mergePolicy
        instance.name = given.name
        instance.transactionAuthor = given.transactionAuthor
        store.listen(to: given)
        (calls, gate, writeTurn, self.news) = (store.calls, store.gate, store.writeTurn, news)
        scope = Scope(thread: 0, calls: calls, permission: permission, owner: owner)
        context = ManagedObjectContext(instance, scope: scope, bindings: BindingCache(instance, store.bindings))
        listening = instance.listenToCommits { [news] in news.note($0) }
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
    func mergeCommits() {
        guard let changes = news.take() else { return }
        do {
            onMerge(try translatingErrors { try instance.mergeCommits(changes) })
        } catch {
            news.noteAnything()
            calls.logError?(error)
        }
    }

    // MARK: Saving

    /// The number of objects with unsaved changes.
    var changeCount: Int {
        instance.insertedObjects.union(instance.deletedObjects).count
            + instance.updatedObjects.filter { $0.hasPersistentChangedValues && !$0.isInserted }.count
    }

    /// Whether a save would write something.
    var hasChanges: Bool {
        guard instance.hasChanges else { return false }
        return !instance.insertedObjects.isEmpty || !instance.deletedObjects.isEmpty
            || instance.updatedObjects.contains(where: \.hasPersistentChangedValues)
    }

    /// Saves the unsaved changes. After an error, they remain.
    func save() throws {
        if let failure = scope.takeFailure() { throw failure }
        guard instance.hasChanges else { return }
        try translatingErrors { try news.ignoringOwnCommits { try instance.save() } }
    }

    func rollback() {
        _ = scope.takeFailure()
        instance.rollback()
    }

    func discardFailure() { _ = scope.takeFailure() }

    /// Throws the error of an operation that could not throw it.
    func throwFailure() throws {
        if let failure = scope.takeFailure() { throw failure }
    }

    /// Runs a closure that reads one state of the store, and cannot change it.
    func snapshot<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        if isInTransaction { return try permission.limited(to: .read) { try body(context) } }
        let admission = try translatingErrors { try instance.enterStores(isWriting: false, until: nil) }
        defer { admission.leave() }
        mergeCommits()
        try translatingErrors { try instance.pin(true) }
        isInTransaction = true
        defer {
            isInTransaction = false
            try? instance.pin(false)
        }
        return try permission.limited(to: .read) { try body(context) }
    }

    /// Runs a closure that holds the write lock, and saves its changes with the other unsaved changes. After an error,
    /// everything is as it was before.
    func transaction<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        try throwFailure()
        guard !isInTransaction else {
            guard permission.isGranted else {
                throw StoreError(.readOnly, "A transaction cannot run inside a snapshot. Write after the snapshot.")
            }
            return try nested(body)
        }
        let admission = try translatingErrors { try instance.enterStores(isWriting: true, until: nil) }
        defer { admission.leave() }
        return try writeTurn.withTurn {
            try news.ignoringOwnCommits { try write(body) }
        }
    }

    private func write<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        mergeCommits()
        let unsaved = Checkpoint(of: instance)
        (isInTransaction, permission.allowsBulkWrites) = (true, true)
        instance.keepTransactions(true)
        defer {
            instance.keepTransactions(false)
            (isInTransaction, permission.allowsBulkWrites) = (false, false)
        }
        do {
            try translatingErrors { try instance.beginWriting() }
            let result = try body(context)
            try throwFailure()
            if instance.hasChanges { try translatingErrors { try instance.save() } }
            try translatingErrors { try instance.commitTransactions() }
            return result
        } catch {
            _ = scope.takeFailure()
            instance.undoTransactions { instance.restore(unsaved) }
            throw error
        }
    }

    /// Runs a transaction inside another one, which is undone separately.
    private func nested<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        let checkpoint = Checkpoint(of: instance)
        let marks = TransactionMarks(of: instance)
        do {
            let result = try body(context)
            try throwFailure()
            try translatingErrors { try instance.release(marks) }
            return result
        } catch {
            try translatingErrors { try instance.undoTransactions(to: marks) { instance.restore(checkpoint) } }
            throw error
        }
    }
}
