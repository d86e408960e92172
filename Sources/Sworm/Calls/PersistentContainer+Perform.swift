extension PersistentContainer {
    /// Runs a closure that reads and writes the store, on the calling thread, and saves what it changed.
    ///
    /// The closure holds its context alone. It reads one state of the store; its changes are saved together when
    /// it returns. When it throws, or the save fails, nothing is saved, and the error is thrown.
    ///
    /// ```swift
    /// let titles = try store.perform { context in
    ///     try context.decode(Book.all.where { $0.year > 1800 }).map(\.title)
    /// }
    /// ```
    ///
    /// Handles belong to the closure: return values, or ids. A `perform` inside a `perform` of the same container on the same
    /// thread joins it: it sees its changes, is undone alone when it throws, and is saved with the outer one.
    ///
    /// With `retrying`, a closure that meets a conflict is undone and run again, from a newer snapshot, after a short pause
    /// that grows and differs from call to call. The last repetition runs as ``write(deadline:_:)-(_,_)`` does, and meets no conflict.
    /// Side effects of the closure are repeated with it: compute in it, and act on the result. A call that joins another one
    /// is not repeated alone.
    ///
    /// - Parameters:
    ///   - repetitions: How often the closure is repeated when it meets a conflict.
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, and a ``StoreError`` when the store cannot be read or the changes cannot be saved.
    @discardableResult
    public func perform<R>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> sending R
    ) throws -> sending R {
        var result: R?
        try run(.perform(retrying: repetitions, deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw Error.noResult }
        // Made by the closure, which gives it away; only this frame has it on its way to the caller. The compiler cannot see
        // that through the layers below.
        nonisolated(unsafe) let given = result
        return given
    }

    /// Runs a closure that reads and writes the store: the form for functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - repetitions: How often the closure is repeated when it meets a conflict.
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, and a ``StoreError`` when the store cannot be read or the changes cannot be saved.
    @discardableResult
    public func perform<R: Sendable>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> R
    ) throws -> R {
        var result: R?
        try run(.perform(retrying: repetitions, deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw Error.noResult }
        return result
    }

    /// Runs a closure that reads and writes the store and returns nothing.
    ///
    /// - Parameters:
    ///   - repetitions: How often the closure is repeated when it meets a conflict.
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: The closure.
    /// - Throws: The error of the closure, and a ``StoreError`` when the store cannot be read or the changes cannot be saved.
    public func perform(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> Void
    ) throws {
        try run(.perform(retrying: repetitions, deadline: deadline), action)
    }

    /// Runs a closure that ends in managed objects (one, an optional one, or a collection), and returns their ids.
    ///
    /// ```swift
    /// let id = try store.perform { try $0.insert(Book(title: "War and Peace")) }
    /// try store.perform { try $0.fetchOne(Book.all.where(\.year == 1868))?.encode(\.year, 1869) }
    /// ```
    ///
    /// - Parameters:
    ///   - repetitions: How often the closure is repeated when it meets a conflict.
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: The closure.
    /// - Returns: The id of the object, permanent once the changes were saved.
    /// - Throws: The error of the closure, and a ``StoreError`` when the store cannot be read or the changes cannot be saved.
    @discardableResult
    public func perform<R: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> R
    ) throws -> R.ResultID {
        var object: R?
        var id: R.ResultID?
        try run(.perform(retrying: repetitions, deadline: deadline)) { context in
            object = try action(context)
        } afterwards: {
            id = object?.resultID
        }
        guard let id else { throw Error.noResult }
        return id
    }
}
