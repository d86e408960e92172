// Calls that hold the write lock.
extension PersistentContainer {
    /// Runs a closure that holds the write lock of the store from the start, on the calling thread, and commits its
    /// changes when it returns.
    ///
    /// The closure reads the latest state of the store, which no other call or process can change before the closure
    /// ends. Its changes therefore meet no optimistic-locking conflict: a value can be read, changed and written back
    /// without losing an update. Other writes, in this process and in other processes, wait until the closure ends, so
    /// keep it short. If the closure throws, or the commit fails, nothing is saved, and the error is thrown.
    ///
    /// ```swift
    /// try store.write { context in
    ///     let account = try context.object(with: id)
    ///     try account.encode(\.balance, account.decode(\.balance) + 10)
    /// }
    /// ```
    ///
    /// A `write` inside another `write` joins it, and is undone separately if it throws. Inside a `perform` it joins
    /// only if the `perform` has already written in bulk, and therefore holds the write lock; otherwise it throws a
    /// ``StoreError`` with the code `unsupported`. Inside a `read` it throws one with the code `readOnly`.
    ///
    /// In a container over a context that you provide, a `write` neither sees nor saves the changes that were unsaved
    /// before. The context must have exactly one store.
    ///
    /// On Apple's platforms, a `write` only excludes other `write`s of its container. Core Data holds the write lock of
    /// the file only during a save, so that saves from elsewhere can still conflict.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or written: `readOnly` for a
    ///   store that was opened read-only, `timedOut` if the write lock did not become free in time.
    @discardableResult
    public func write<R>(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> sending R
    ) throws -> sending R {
        var result: R?
        try run(as: .write(deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw StoreError.noResult }
        // The closure created the value and gave it away; only this frame holds it on its way to the caller. The
        // compiler cannot prove that through the layers below.
        nonisolated(unsafe) let given = result
        return given
    }

    /// Runs a closure that holds the write lock of the store from the start: the variant for functions and generic
    /// wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or written.
    @discardableResult
    public func write<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> R
    ) throws -> R {
        var result: R?
        try run(as: .write(deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw StoreError.noResult }
        return result
    }

    /// Runs a closure that holds the write lock of the store from the start, and returns nothing.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or written.
    public func write(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> Void
    ) throws {
        try run(as: .write(deadline: deadline), action)
    }

    /// Runs a closure that holds the write lock of the store from the start and returns managed objects, and returns
    /// their ids.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The id of the object, which is permanent once the changes are saved.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or written.
    @discardableResult
    public func write<R: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> R
    ) throws -> R.ResultID {
        var object: R?
        var id: R.ResultID?
        try run(as: .write(deadline: deadline)) { context in
            object = try action(context)
        } afterwards: {
            id = object?.resultID
        }
        guard let id else { throw StoreError.noResult }
        return id
    }
}

extension PersistentContainer {
    /// Runs a closure that holds the write lock of the store from the start, without blocking a thread of the
    /// concurrency pool, and commits its changes when it returns.
    ///
    /// In an `async` function, the compiler selects this asynchronous variant. If the task is cancelled before the
    /// closure starts, the closure does not run; if it is cancelled while the closure runs, nothing is saved.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError`` if the
    ///   store cannot be read or written.
    @discardableResult
    public func write<R>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await result(as: .write(deadline: deadline), action)
    }

    /// Runs a closure that holds the write lock of the store from the start, without blocking a thread: the variant for
    /// functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError``.
    @discardableResult
    public func write<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await sendableResult(as: .write(deadline: deadline), action)
    }

    /// Runs a closure that holds the write lock of the store from the start and returns managed objects, and returns
    /// their ids.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The id of the object, which is permanent once the changes are saved.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError``.
    @discardableResult
    public func write<R: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        try await idOfResult(as: .write(deadline: deadline), action)
    }
}
