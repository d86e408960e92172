public import Foundation
import SwormPredicates
import SwormStore

/// The result of a request that a context executes later, on its queue.
///
/// @unchecked: what changes is behind a lock. The request and its results belong to the context, and are used on its
/// queue.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult, @unchecked Sendable {
    private struct State: Sendable {
        var isRunning = false
        var isCancelled = false
        var error: (any Error)?
    }

    /// The context that executes the request.
    public final let managedObjectContext: NSManagedObjectContext
    /// The progress of the request. It is a part of Foundation's `Progress` that was current when the request was
    /// executed. Cancelling it cancels the request.
    public final let progress: Progress?
    private let state = Locked(State())

    init(in context: NSManagedObjectContext, expecting count: Int) {
        managedObjectContext = context
        let progress = Progress(totalUnitCount: count > 0 ? Int64(count) : 1)
        self.progress = progress
        super.init()
        progress.cancellationHandler = { [weak self] in self?.cancel() }
    }

    /// The error of the request; nil if it has not ended, or ended without an error. For a cancelled request, an error
    /// with the code `CocoaError.userCancelled`.
    public final var operationError: (any Error)? { state.withLock { $0.error } }

    /// Cancels the request, if it has not ended. May be called from any thread.
    open func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // Under the lock, so that it cannot hit what the context does next.
            if state.isRunning { managedObjectContext.interruption.interrupt() }
        }
    }

    /// Runs the request on the context's queue, unless it was cancelled.
    ///
    /// - Returns: The result; nil if there is an error.
    final func run<Result>(_ body: () throws -> Result) -> Result? {
        do {
            try state.withLock { state in
                // The handler of the progress may be called later.
                if progress?.isCancelled ?? false { state.isCancelled = true }
                if state.isCancelled { throw CocoaError(.userCancelled) }
                state.isRunning = true
            }
            defer {
                state.withLock { state in
                    state.isRunning = false
                    // Nothing else runs in the context at the moment, so the interruption was meant for this request.
                    if state.isCancelled { managedObjectContext.interruption.clear() }
                }
            }
            return try body()
        } catch {
            state.withLock { $0.error = $0.isCancelled ? CocoaError(.userCancelled) : error }
            return nil
        }
    }
}
