// Calls that read one snapshot.
extension PersistentContainer {
    /// Runs a closure that reads one snapshot of the store, on the calling thread.
    ///
    /// Everything that the closure reads is one state of the store, whatever is committed in the meantime. Nothing can be changed: inserting,
    /// encoding, changing a relation and deleting throw a ``StoreError`` with the code `readOnly`.
    ///
    /// ```swift
    /// let titles = try store.read { try $0.decode(Book.all.where { $0.year > 1800 }).map(\.title) }
    /// ```
    ///
    /// With a deadline, a call that has not begun by then, or has not ended, is given up: the statement that runs is stopped, nothing
    /// is saved, and a ``StoreError`` with the code `timedOut` is thrown. A commit that has begun is not stopped any more: the
    /// result is returned then, so that what was saved and what was thrown never contradict each other. Code in the closure
    /// that neither reads nor writes is not stopped; it may call ``ManagedObjectContext/checkCancellation()``. A call inside of
    /// another one ends by the earlier deadline of the two.
    ///
    /// Inside of another call of the same container on the same thread it joins that call: it reads its snapshot, sees its
    /// unsaved changes, and may not change anything either.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, and a ``StoreError`` when the store cannot be read.
    @discardableResult
    public func read<R>(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> sending R
    ) throws -> sending R {
        var result: R?
        try run(.read(deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw Error.noResult }
        // Made by the closure, which gives it away; only this frame has it on its way to the caller. The compiler cannot see
        // that through the layers below.
        nonisolated(unsafe) let given = result
        return given
    }

    /// Runs a closure that reads one snapshot of the store: the form for functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: As for any closure.
    @discardableResult
    public func read<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> R
    ) throws -> R {
        var result: R?
        try run(.read(deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw Error.noResult }
        return result
    }

    /// Runs a closure that reads one snapshot of the store, and returns nothing.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads the store.
    /// - Throws: As for any closure.
    public func read(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> Void
    ) throws {
        try run(.read(deadline: deadline), action)
    }

    /// Runs a closure that reads one snapshot of the store, ends in managed objects, and returns their ids.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads the store.
    /// - Returns: The id of the object.
    /// - Throws: As for any closure.
    @discardableResult
    public func read<R: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> R
    ) throws -> R.ResultID {
        var object: R?
        var id: R.ResultID?
        try run(.read(deadline: deadline)) { context in
            object = try action(context)
        } afterwards: {
            id = object?.resultID
        }
        guard let id else { throw Error.noResult }
        return id
    }
}

extension PersistentContainer {
    /// Runs a closure that reads one snapshot of the store, without blocking a thread of the concurrency pool.
    ///
    /// The asynchronous form: in an `async` function it is the one that is called. A task that was cancelled before the closure
    /// starts does not run it; one that is cancelled while it runs stops the statement that the store is working on.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` when the task was cancelled; the error of the closure, and a ``StoreError`` when the store
    ///   cannot be read.
    @discardableResult
    public func read<R>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await result(.read(deadline: deadline), action)
    }

    /// Runs a closure that reads one snapshot of the store, without blocking a thread: the form for functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: As for any closure.
    @discardableResult
    public func read<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await sendableResult(.read(deadline: deadline), action)
    }

    /// Runs a closure that reads one snapshot of the store, ends in managed objects, and returns their ids.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads the store.
    /// - Returns: The id of the object.
    /// - Throws: As for any closure.
    @discardableResult
    public func read<R: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        try await idOfResult(.read(deadline: deadline), action)
    }
}
