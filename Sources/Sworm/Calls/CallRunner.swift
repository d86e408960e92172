import Dispatch

/// Runs the closure of one asynchronous call as a job of the task that called, on a thread that may wait: not one of the
/// concurrency pool. So `Task.isCancelled` and task-local values are those of the task.
actor CallRunner {
    private let executor: CallExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter start: Runs the call's job, once it may run.
    init(_ start: @escaping @Sendable (_ job: @escaping @Sendable () -> Void) -> Void) {
        executor = CallExecutor(start)
    }

    /// Runs the call on a queue.
    init(on queue: DispatchQueue) {
        executor = CallExecutor { queue.async(execute: $0) }
    }

    func run<R>(_ work: () throws -> sending R) throws -> sending R { try work() }
}

/// Runs the one job of a call.
private final class CallExecutor: SerialExecutor {
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(_ start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.start = start }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        start { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
