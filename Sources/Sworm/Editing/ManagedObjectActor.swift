/// An actor with a context of its own, on whose queue it runs.
///
/// ```swift
/// actor Library: ManagedObjectActor {
///     let executor: ObjectExecutor
///     init(_ store: PersistentContainer) throws { executor = try ObjectExecutor(store) }
///
///     func rename(_ id: ManagedObjectID<Book>, to title: String) throws {
///         try context.object(with: id).encode(\.title, title)
///         try save()
///     }
/// }
/// ```
/// Handles work in all methods of the actor as long as it exists, also after an `await`. Handles are not `Sendable`, so
/// that code which passes one out of the actor does not compile; its id may be passed.
///
/// Each fetch finds the objects that match at that moment, and the actor's unsaved changes. The objects that the actor
/// holds are updated after commits of other contexts, containers and processes: before a method starts, and after an
/// `await`, and where ``snapshot(_:)`` and ``transaction(_:)`` begin. Otherwise they do not change between two suspensions.
/// For several reads of one state, use ``snapshot(_:)``. Objects with unsaved changes are not updated: saving them is a
/// conflict if somebody else has changed or deleted them.
///
/// Changes are kept until ``save()``. An actor that is released with unsaved changes reports their number to `logError`
/// of the container. ``PersistentContainer/perform(retrying:deadline:action:)-1zg9a`` in a method of the actor has
/// another context, and does not see the unsaved changes.
public protocol ManagedObjectActor: Actor {
    /// The executor, which the actor creates in its initializer.
    nonisolated var executor: ObjectExecutor { get }
}

extension ManagedObjectActor {
    /// The executor as a reference, as Swift requires it.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The context of the actor.
    ///
    /// Objects cannot be written in bulk outside of ``transaction(_:)``, which commits them.
    public var context: ManagedObjectContext { executor.lasting.context }

    /// Whether there are unsaved changes.
    public var hasChanges: Bool { executor.lasting.hasChanges }

    /// Saves the changes of the actor.
    ///
    /// After an error, the changes remain unsaved: save again, or call ``rollback()``. A conflict remains one until then.
    ///
    /// - Throws: A ``StoreError``: `conflict` if changed objects were changed or deleted by somebody else in the meantime,
    ///   and the container has no merge policy for that; `validation` and similar codes if the changes are not valid.
    public func save() throws { try logging { try executor.lasting.save() } }

    /// Discards all unsaved changes.
    public func rollback() { executor.lasting.rollback() }

    /// Runs a closure that holds the write lock of the store, and saves its changes together with the unsaved changes
    /// of the actor.
    ///
    /// The closure reads the latest state of the store, which nothing else changes before it ends. It may also write in
    /// bulk. If it throws, or the changes cannot be saved, nothing is written, and the unsaved changes from before
    /// remain. A transaction inside another one is undone separately. Other writers wait until the closure ends.
    ///
    /// - Parameter body: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be written.
    @discardableResult
    public func transaction<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        try logging { try executor.lasting.transaction(body) }
    }

    /// Runs a closure that reads one state of the store.
    ///
    /// The closure sees the unsaved changes of the actor, and cannot change anything. It is synchronous, so that no
    /// state of the store is held over a suspension.
    ///
    /// - Parameter body: A closure that reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read.
    public func snapshot<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        try logging { try executor.lasting.snapshot(body) }
    }

    private func logging<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            executor.lasting.calls.logError?(error)
            throw error
        }
    }
}
