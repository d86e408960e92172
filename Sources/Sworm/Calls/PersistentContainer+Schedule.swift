extension PersistentContainer {
    /// Runs a closure that reads and writes the store, on the queue of its context, and saves what it changed.
    ///
    /// The asynchronous form of ``perform(retrying:deadline:action:)``. It never blocks a thread of the concurrency pool. A task that was
    /// cancelled before the closure starts does not run it; one that is cancelled while it runs stops the statement that the
    /// store is working on, and what was changed is not saved. The closure runs as a part of the task, so that
    /// `Task.isCancelled` is true inside of it; every read throws then.
    ///
    /// - Parameters:
    ///   - repetitions: How often the closure is repeated when it meets a conflict.
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` when the task was cancelled; the error of the closure, and a ``StoreError`` when the store
    ///   cannot be read or the changes cannot be saved.
    @discardableResult
    public func schedule<R>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await result(.perform(retrying: repetitions, deadline: deadline), action)
    }

    /// Runs a closure on the queue of its context: the form for functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - repetitions: How often the closure is repeated when it meets a conflict.
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: As for any closure.
    @discardableResult
    public func schedule<R: Sendable>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await sendableResult(.perform(retrying: repetitions, deadline: deadline), action)
    }

    /// Runs a closure that ends in managed objects (one, an optional one, or a collection) on the queue of its context, and
    /// returns their ids.
    ///
    /// - Parameters:
    ///   - repetitions: How often the closure is repeated when it meets a conflict.
    ///   - deadline: When the call is given up, also while it waits; nil for never.
    ///   - action: The closure.
    /// - Returns: The id of the object, permanent once the changes were saved.
    /// - Throws: As for any closure.
    @discardableResult
    public func schedule<R: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        try await idOfResult(.perform(retrying: repetitions, deadline: deadline), action)
    }
}

// A closure that is a value needs no label. Disfavoured, so that a trailing closure is that of the forms above.
extension PersistentContainer {
    /// Runs a closure value on the queue of its context; see ``schedule(retrying:deadline:action:)-(_,_,(ManagedObjectContext)->R)``.
    @_disfavoredOverload
    public func schedule<R>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await schedule(retrying: repetitions, deadline: deadline, action: action)
    }

    /// Runs a closure value on the queue of its context; see ``schedule(retrying:deadline:action:)-(_,_,(ManagedObjectContext)->R)``.
    @_disfavoredOverload
    public func schedule<R: Sendable>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await schedule(retrying: repetitions, deadline: deadline, action: action)
    }

    /// Runs a closure value that ends in managed objects on the queue of its context; see
    /// ``schedule(retrying:deadline:action:)-(_,_,(ManagedObjectContext)->R)``.
    @_disfavoredOverload
    public func schedule<R: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        try await schedule(retrying: repetitions, deadline: deadline, action: action)
    }
}
