import Dispatch

/// An actor that runs the closure of one asynchronous call as a job of the calling task, on a thread that may block,
/// outside of the concurrency pool. This way `Task.isCancelled` and task-local values are those of the task.
actor CallRunner {
    private let executor: CallExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter start: A closure that runs the call's job as soon as the job may run.
    init(_ start: @escaping @Sendable (_ job: @escaping @Sendable () -> Void) -> Void) {
        executor = CallExecutor(start)
    }

    /// Creates a runner that runs the call on a queue.
    init(on queue: DispatchQueue) {
        executor = CallExecutor { queue.async(execute: $0) }
    }

    func run<R>(_ work: () throws -> sending R) throws -> sending R { try work() }
}

/// An executor that runs the only job of a call.
private final class CallExecutor: SerialExecutor {
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(_ start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.start = start }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        start { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
