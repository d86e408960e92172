extension PersistentContainer {
    /// Runs a closure that reads and writes the store, on the queue of its context, and saves its changes.
    ///
    /// This is the asynchronous variant of `perform`. It never blocks a thread of the concurrency pool. If the task is
    /// cancelled before the closure starts, the closure does not run; if it is cancelled while the closure runs, the
    /// running statement is interrupted, and no change is saved. The closure runs as a part of the task, so that
    /// `Task.isCancelled` is true inside it after a cancellation; every read then throws.
    ///
    /// - Parameters:
    ///   - repetitions: The maximum number of times that the closure is repeated after a conflict, or after the loss of a server.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError`` if the
    ///   store cannot be read or the changes cannot be saved.
    @discardableResult
    public func schedule<R>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await result(as: .perform(retrying: repetitions, deadline: deadline), action)
    }

    /// Runs a closure on the queue of its context: the variant for functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - repetitions: The maximum number of times that the closure is repeated after a conflict, or after the loss of a server.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError``.
    @discardableResult
    public func schedule<R: Sendable>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await sendableResult(as: .perform(retrying: repetitions, deadline: deadline), action)
    }

    /// Runs a closure that returns managed objects (one, an optional one, or a collection) on the queue of its context,
    /// and returns their ids.
    ///
    /// - Parameters:
    ///   - repetitions: The maximum number of times that the closure is repeated after a conflict, or after the loss of a server.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: The closure.
    /// - Returns: The id of the object, which is permanent once the changes are saved.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError``.
    @discardableResult
    public func schedule<R: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        try await idOfResult(as: .perform(retrying: repetitions, deadline: deadline), action)
    }
}

// Variants without a label, for closures that are values. They are disfavored, so that a trailing closure selects the
// variants above.
extension PersistentContainer {
    /// Runs a closure value on the queue of its context; see `schedule(retrying:deadline:action:)`.
    @_disfavoredOverload
    public func schedule<R>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await schedule(retrying: repetitions, deadline: deadline, action: action)
    }

    /// Runs a closure value on the queue of its context; see `schedule(retrying:deadline:action:)`.
    @_disfavoredOverload
    public func schedule<R: Sendable>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await schedule(retrying: repetitions, deadline: deadline, action: action)
    }

    /// Runs a closure value that returns managed objects on the queue of its context, and returns their ids; see
    /// ``schedule(retrying:deadline:action:)->R.ResultID``.
    @_disfavoredOverload
    public func schedule<R: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        try await schedule(retrying: repetitions, deadline: deadline, action: action)
    }
}
