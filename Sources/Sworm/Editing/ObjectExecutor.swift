/// The executor of a ``ManagedObjectActor``: it runs the jobs of the actor on the queue of a context that belongs to the
/// actor.
///
/// A job that waits for the store blocks a thread of the context's queue, and no thread of the concurrency pool.
///
/// @unchecked: the context is only used in the jobs, which run one after the other, and after the last of them.
public final class ObjectExecutor: SerialExecutor, @unchecked Sendable {
    let lasting: LastingContext
    /// The container, which stays open as long as the executor exists.
    private let store: PersistentContainer

    /// Creates an executor with a context of its own.
    ///
    /// - Parameter store: The container.
    /// - Throws: A ``StoreError`` if the store is closed or suspended.
    public init(_ store: PersistentContainer) throws {
        self.store = store
        lasting = try LastingContext(store, for: .actor, news: CommitNews())
    }

    deinit {
        lasting.instance.performAndWait {
            let count = lasting.changeCount
            lasting.end()
            if count > 0 {
                store.logError?(
                    StoreError(
                        .scopeEnded,
                        "An actor was released with unsaved changes of \(count) \(count == 1 ? "object" : "objects"), which are lost. Call `save()` at the end of its methods."
                    ))
            }
        }
    }

    /// Runs a job of the actor.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The block holds the executor, which the job refers to without holding it.
        lasting.instance.perform { [self] in
            lasting.run { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    /// Returns a reference to the executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Stops the program unless the calling thread runs a job of the actor. Swift calls this method for
    /// `assumeIsolated` and `preconditionIsolated`.
    public func checkIsolated() {
        precondition(lasting.isRunning, "This code is not isolated to the actor of the context.")
    }
}
