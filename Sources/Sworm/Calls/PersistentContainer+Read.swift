// Calls that read one snapshot.
extension PersistentContainer {
    /// Runs a closure that reads one snapshot of the store, on the calling thread.
    ///
    /// The closure sees a single state of the store, whatever is committed concurrently. Nothing can be changed:
    /// inserting, encoding, changing a relation and deleting throw a ``StoreError`` with the code `readOnly`.
    ///
    /// ```swift
    /// let titles = try store.read { try $0.decode(Book.all.where { $0.year > 1800 }).map(\.title) }
    /// ```
    ///
    /// With a deadline, a call that has not started or not ended by then is abandoned: the running statement is
    /// interrupted, nothing is saved, and a ``StoreError`` with the code `timedOut` is thrown. A commit that has
    /// started is not interrupted: its result is returned, so that a `timedOut` error always means that nothing was
    /// saved. Code in the closure that neither reads nor writes is not interrupted; it may call
    /// ``ManagedObjectContext/checkCancellation()``. A call inside another one has the earlier deadline of the two.
    ///
    /// Inside another call of the same container on the same thread it joins that call: it reads the snapshot of that
    /// call, sees its unsaved changes, and may not change anything either.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read.
    @discardableResult
    public func read<R>(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> sending R
    ) throws -> sending R {
        var result: R?
        try run(as: .read(deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw StoreError.noResult }
        // The closure created the value and gave it away; only this frame holds it on its way to the caller. The
        // compiler cannot prove that through the layers below.
        nonisolated(unsafe) let given = result
        return given
    }

    /// Runs a closure that reads one snapshot of the store: the variant for functions and generic wrappers without
    /// `sending`.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read.
    @discardableResult
    public func read<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> R
    ) throws -> R {
        var result: R?
        try run(as: .read(deadline: deadline)) { context in result = try action(context) }
        guard let result else { throw StoreError.noResult }
        return result
    }

    /// Runs a closure that reads one snapshot of the store, and returns nothing.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads the store.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read.
    public func read(
        deadline: ContinuousClock.Instant? = nil, _ action: (ManagedObjectContext) throws -> Void
    ) throws {
        try run(as: .read(deadline: deadline), action)
    }

    /// Runs a closure that reads one snapshot of the store and returns managed objects, and returns their ids.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads the store.
    /// - Returns: The id of the object.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read.
    @discardableResult
    public func read<R: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> R
    ) throws -> R.ResultID {
        var object: R?
        var id: R.ResultID?
        try run(as: .read(deadline: deadline)) { context in
            object = try action(context)
        } afterwards: {
            id = object?.resultID
        }
        guard let id else { throw StoreError.noResult }
        return id
    }
}

extension PersistentContainer {
    /// Runs a closure that reads one snapshot of the store, without blocking a thread of the concurrency pool.
    ///
    /// In an `async` function, the compiler selects this asynchronous variant. If the task is cancelled before the
    /// closure starts, the closure does not run; if it is cancelled while the closure runs, the running statement is
    /// interrupted.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError`` if the
    ///   store cannot be read.
    @discardableResult
    public func read<R>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await result(as: .read(deadline: deadline), action)
    }

    /// Runs a closure that reads one snapshot of the store, without blocking a thread: the variant for functions and
    /// generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads the store.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError``.
    @discardableResult
    public func read<R: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await sendableResult(as: .read(deadline: deadline), action)
    }

    /// Runs a closure that reads one snapshot of the store and returns managed objects, and returns their ids.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads the store.
    /// - Returns: The id of the object.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError``.
    @discardableResult
    public func read<R: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        try await idOfResult(as: .read(deadline: deadline), action)
    }
}
