import Dispatch

// The implementation of the asynchronous calls.
extension PersistentContainer {
    /// Runs a closure on the queue of its context, and transfers its result to the caller.
    func result<R>(
        as call: StoreCall, _ action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        // The caller gave the closure away, and it is called once, on the queue. The result is transferred in the
        // opposite direction.
        nonisolated(unsafe) let action = action
        return try await onQueue(for: call) { container, call, context, cancellation in
            var result: R?
            try container.runOnce(as: call, in: context, cancellation: cancellation) { result = try action($0) }
            guard let result else { throw StoreError.noResult }
            // The closure gave the result away, and the variable above is not used again.
            nonisolated(unsafe) let given = result
            return given
        }
    }

    /// Runs a closure on the queue of its context, and returns a sendable result.
    func sendableResult<R: Sendable>(
        as call: StoreCall, _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        // The caller gave the closure away, and it is called once, on the queue.
        nonisolated(unsafe) let action = action
        return try await onQueue(for: call) { container, call, context, cancellation in
            var result: R?
            try container.runOnce(as: call, in: context, cancellation: cancellation) { result = try action($0) }
            guard let result else { throw StoreError.noResult }
            return result
        }
    }

    /// Runs a closure that returns a managed object on the queue of its context, and returns the object's id.
    func idOfResult<R: ManagedObjectResult>(
        as call: StoreCall, _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R.ResultID {
        // The caller gave the closure away, and it is called once, on the queue.
        nonisolated(unsafe) let action = action
        return try await onQueue(for: call) { container, call, context, cancellation in
            var object: R?
            var id: R.ResultID?
            try container.runOnce(as: call, in: context, cancellation: cancellation) {
                object = try action($0)
            } afterwards: {
                id = object?.resultID
            }
            guard let id else { throw StoreError.noResult }
            return id
        }
    }

    /// Runs a piece of work on the queue of a fresh context, without blocking the calling task's thread, and repeats it
    /// as the call requires.
    private func onQueue<R>(
        for call: StoreCall,
        _ work: @escaping (PersistentContainer, StoreCall, AdmittedContext, Cancellation) throws -> sending R
    ) async throws -> sending R {
        // Called by one thread at a time.
        nonisolated(unsafe) let work = work
        var generator = SystemRandomNumberGenerator()
        var repetition = 0
        while true {
            do {
                let call = call.run(afterRepetitions: repetition)
                return try await asJob(for: call) { try work(self, call, $0, $1) }
            } catch  where call.isRepeated(after: error, repetition: repetition) {
                repetition += 1
                try await Task.sleep(for: call.pause(before: repetition, after: error, using: &generator))
            } catch {
                logError?(error)
                throw error
            }
        }
    }

    /// Runs a piece of work as a job of the calling task, on a thread of the engine, as soon as the store admits it.
    private func asJob<R>(
        for call: StoreCall, _ work: @escaping (AdmittedContext, Cancellation) throws -> sending R
    ) async throws -> sending R {
        try Task.checkCancellation()
        try call.checkDeadline()
        try gate.check()
        let context = try makeContext()
        let cancellation = Cancellation()
        // Called by one runner at a time. Only the last of them calls the call's closure.
        nonisolated(unsafe) let work = work
        func run(_ runner: CallRunner, _ request: CallRequest?) async throws -> sending R {
            try await withTaskCancellationHandler {
                try await runner.run {
                    let admission: StoreAdmission?
                    do {
                        admission = try request?.admission()
                    } catch {
                        throw translatedError(error)
                    }
                    return try work(AdmittedContext(context: context, admission: admission), cancellation)
                }
            } onCancel: {
                cancellation.cancel()
                request?.cancel()
            }
        }
        guard context.concurrencyType != .mainQueueConcurrencyType else {
            // The main thread may be waiting for the store, and then could not run a call that was admitted before it.
            return try await run(CallRunner(on: .main), nil)
        }
        let isWriting = call.possible(in: context).access == .write
        let request = try translatingErrors {
            try CallRequest(context, isWriting: isWriting, locksRows: call.locks != nil, until: call.deadline)
        }
        do {
            return try await run(CallRunner(request.begin), request)
        } catch is ContextIsHeld {
            return try await run(CallRunner(on: context.blockQueue), nil)
        }
    }
}
