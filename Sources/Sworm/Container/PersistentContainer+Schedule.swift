extension PersistentContainer {
    /// Runs a closure that reads and writes the store, on the queue of its context, and saves what it changed.
    ///
    /// The asynchronous form of ``perform(action:)``. It never blocks a thread of the concurrency pool. A task that was
    /// cancelled before the closure starts does not run it; one that is cancelled while it runs stops the statement that the
    /// store is working on, and what was changed is not saved. The closure is not part of the task, so `Task.isCancelled`
    /// tells it nothing; every read throws once the task was cancelled.
    ///
    /// - Parameter action: What to do.
    /// - Returns: What the closure returns.
    /// - Throws: `CancellationError` when the task was cancelled; what the closure throws, and a ``StoreError`` when the store
    ///   cannot be read or the changes cannot be saved.
    @discardableResult
    public func schedule<R>(
        action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        // The closure was given away by the caller and is called once, on the queue; the result goes the other way.
        nonisolated(unsafe) let action = action
        return try await onQueue { container, context, cancellation in
            var result: R?
            try container.run(in: context, cancellation: cancellation) { result = try action($0) }
            guard let result else { throw Error.noResult }
            nonisolated(unsafe) let given = result
            return given
        }
    }

    /// Runs a closure on the queue of its context: the form for functions and generic wrappers without `sending`.
    ///
    /// - Parameter action: What to do.
    /// - Returns: What the closure returns.
    /// - Throws: As for any closure.
    @discardableResult
    public func schedule<R: Sendable>(
        action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        // As above.
        nonisolated(unsafe) let action = action
        return try await onQueue { container, context, cancellation in
            var result: R?
            try container.run(in: context, cancellation: cancellation) { result = try action($0) }
            guard let result else { throw Error.noResult }
            return result
        }
    }

    /// Runs a closure that ends in a managed object, or in an optional one, on the queue of its context, and returns the
    /// object's id.
    ///
    /// - Parameter action: What to do.
    /// - Returns: The id of the object, permanent once the changes were saved.
    /// - Throws: As for any closure.
    @discardableResult
    public func schedule<R: ManagedObjectResult>(
        action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        // As above.
        nonisolated(unsafe) let action = action
        return try await onQueue { container, context, cancellation in
            var object: R?
            var id: R.ResultID?
            try container.run(in: context, cancellation: cancellation) {
                object = try action($0)
            } afterwards: {
                id = object?.resultID
            }
            guard let id else { throw Error.noResult }
            return id
        }
    }

    /// Runs a piece of work on the queue of a fresh context, without blocking the calling task's thread.
    private func onQueue<R>(
        _ work: @escaping (PersistentContainer, NSManagedObjectContext, Cancellation) throws -> sending R
    ) async throws -> sending R {
        let context: NSManagedObjectContext
        do {
            try Task.checkCancellation()
            context = try makeContext()
        } catch {
            logError?(error)
            throw error
        }
        let cancellation = Cancellation(context)
        // Called once, on the queue.
        nonisolated(unsafe) let work = work
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<R, any Swift.Error>) in
                context.perform {
                    do {
                        continuation.resume(returning: try work(self, context, cancellation))
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
