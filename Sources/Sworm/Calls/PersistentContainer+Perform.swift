extension PersistentContainer {
    /// Runs a closure that reads and writes the store, on the calling thread, and saves its changes.
    ///
    /// The closure has exclusive access to its context. It reads a single snapshot of the store; its changes are saved
    /// together when it returns. If it throws, or the save fails, nothing is saved, and the error is rethrown.
    ///
    /// ```swift
    /// let titles = try store.perform { context in
    ///     try context.decode(Book.all.where { $0.year > 1800 }).map(\.title)
    /// }
    /// ```
    ///
    /// Handles are only valid inside the closure: return values, or ids. A `perform` inside a `perform` of the same
    /// container on the same thread joins it: it sees the changes of the outer one, is undone separately if it throws,
    /// and is saved with the outer one.
    ///
    /// With `retrying`, a closure that meets a conflict is undone and run again, on a newer snapshot, after a short
    /// randomized pause that grows with every repetition. The last repetition runs as `write` does, and meets no
    /// conflict. Side effects of the closure are repeated with it: compute inside the closure, and act on its result. A
    /// call that joins another one is not repeated separately. Over a server, a call whose connection was lost before
    /// anything was saved is repeated in the same way, after pauses of at most a second; a call whose outcome is unknown is not.
    ///
    /// - Parameters:
    ///   - repetitions: The maximum number of times that the closure is repeated after a conflict, or after the loss of a server.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or the changes cannot be
    ///   saved.
    @discardableResult
    public func perform<R>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> sending R
    ) throws -> sending R {
        var result: R?
        try run(as: .perform(retrying: repetitions, deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw StoreError.noResult }
        // The closure created the value and gave it away; only this frame holds it on its way to the caller. The
        // compiler cannot prove that through the layers below.
        nonisolated(unsafe) let given = result
        return given
    }

    /// Runs a closure that reads and writes the store: the variant for functions and generic wrappers without
    /// `sending`.
    ///
    /// - Parameters:
    ///   - repetitions: The maximum number of times that the closure is repeated after a conflict, or after the loss of a server.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or the changes cannot be
    ///   saved.
    @discardableResult
    public func perform<R: Sendable>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> R
    ) throws -> R {
        var result: R?
        try run(as: .perform(retrying: repetitions, deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw StoreError.noResult }
        return result
    }

    /// Runs a closure that reads and writes the store and returns nothing.
    ///
    /// - Parameters:
    ///   - repetitions: The maximum number of times that the closure is repeated after a conflict, or after the loss of a server.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: The closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or the changes cannot be
    ///   saved.
    public func perform(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> Void
    ) throws {
        try run(as: .perform(retrying: repetitions, deadline: deadline), action)
    }

    /// Runs a closure that returns managed objects (one, an optional one, or a collection), and returns their ids.
    ///
    /// ```swift
    /// let id = try store.perform { try $0.insert(Book(title: "War and Peace")) }
    /// try store.perform { try $0.fetchOne(Book.all.where(\.year == 1868))?.encode(\.year, 1869) }
    /// ```
    ///
    /// - Parameters:
    ///   - repetitions: The maximum number of times that the closure is repeated after a conflict, or after the loss of a server.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: The closure.
    /// - Returns: The id of the object, which is permanent once the changes are saved.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or the changes cannot be
    ///   saved.
    @discardableResult
    public func perform<R: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> R
    ) throws -> R.ResultID {
        var object: R?
        var id: R.ResultID?
        try run(as: .perform(retrying: repetitions, deadline: deadline)) { context in
            object = try action(context)
        } afterwards: {
            id = object?.resultID
        }
        guard let id else { throw StoreError.noResult }
        return id
    }
}
