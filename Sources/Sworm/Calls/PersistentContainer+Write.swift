// Calls that hold the write lock.
extension PersistentContainer {
    /// Runs a closure that holds the write lock of the store from its first line, on the calling thread, and commits what it
    /// changed when it returns.
    ///
    /// The closure reads the newest state, and nobody else can change it before the closure ends. So its changes meet no
    /// optimistic-locking conflict: a value that was read, changed and written back loses no update. Other writes wait until
    /// it ends, in this process and in other processes, so keep the closure short. When it throws, or the commit fails, nothing is
    /// saved, and the error is thrown.
    ///
    /// ```swift
    /// try store.write { context in
    ///     let account = try context.object(with: id)
    ///     try account.encode(\.balance, account.decode(\.balance) + 10)
    /// }
    /// ```
    ///
    /// Inside of another `write` it joins it, and is undone alone when it throws. Inside of a `perform` it joins only where that
    /// has written in bulk already, and so holds the write lock; else it throws a ``StoreError`` with the code `unsupported`.
    /// Inside of a `read` it throws one with the code `readOnly`.
    ///
    /// In a container over a context of your own, changes that were unsaved before are neither seen nor saved by it. The context
    /// must have one store.
    ///
    /// On Apple's platforms a `write` excludes the other `write`s of its container alone; Core Data takes the write lock of the
    /// file for the time of a save, so that saves from elsewhere can still conflict.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, and a ``StoreError`` when the store cannot be read or written: `readOnly` for a store
    ///   that was opened read-only, `timedOut` when the write lock did not become free in time.
    @discardableResult
    public func write<R>(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> sending R
    ) throws -> sending R {
        var result: R?
        try run(.write(deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw Error.noResult }
        // Made by the closure, which gives it away; only this frame has it on its way to the caller. The compiler cannot see
        // that through the layers below.
        nonisolated(unsafe) let given = result
        return given
    }

    /// Runs a closure that holds the write lock of the store from its first line: the form for functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: As for any closure.
    @discardableResult
    public func write<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> R
    ) throws -> R {
        var result: R?
        try run(.write(deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw Error.noResult }
        return result
    }

    /// Runs a closure that holds the write lock of the store from its first line, and returns nothing.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads and changes the store.
    /// - Throws: As for any closure.
    public func write(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> Void
    ) throws {
        try run(.write(deadline: deadline), action)
    }

    /// Runs a closure that holds the write lock of the store from its first line, ends in managed objects, and returns their ids.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads and changes the store.
    /// - Returns: The id of the object, permanent once the changes were saved.
    /// - Throws: As for any closure.
    @discardableResult
    public func write<R: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> R
    ) throws -> R.ResultID {
        var object: R?
        var id: R.ResultID?
        try run(.write(deadline: deadline)) { context in
            object = try action(context)
        } afterwards: {
            id = object?.resultID
        }
        guard let id else { throw Error.noResult }
        return id
    }
}

extension PersistentContainer {
    /// Runs a closure that holds the write lock of the store from its first line, without blocking a thread of the concurrency
    /// pool, and commits what it changed when it returns.
    ///
    /// The asynchronous form: in an `async` function it is the one that is called. A task that was cancelled before the closure
    /// starts does not run it; of one that is cancelled while it runs nothing is saved.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` when the task was cancelled; the error of the closure, and a ``StoreError`` when the store
    ///   cannot be read or written.
    @discardableResult
    public func write<R>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await result(.write(deadline: deadline), action)
    }

    /// Runs a closure that holds the write lock of the store from its first line, without blocking a thread: the form for functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: As for any closure.
    @discardableResult
    public func write<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await sendableResult(.write(deadline: deadline), action)
    }

    /// Runs a closure that holds the write lock of the store from its first line, ends in managed objects, and returns their ids.
    ///
    /// - Parameters:
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: Reads and changes the store.
    /// - Returns: The id of the object, permanent once the changes were saved.
    /// - Throws: As for any closure.
    @discardableResult
    public func write<R: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        try await idOfResult(.write(deadline: deadline), action)
    }
}
