import Dispatch

/// Runs the closure of one asynchronous call as a job of the task that called, on a thread that may wait: not one of the
/// concurrency pool. So `Task.isCancelled` and task-local values are those of the task.
actor CallRunner {
    private let executor: QueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter queue: The queue that the closure runs on; nil for one of its own.
    init(_ queue: DispatchQueue? = nil) {
        executor = QueueExecutor(queue ?? DispatchQueue(label: "Sworm call"))
    }

    func run<R>(_ work: () throws -> sending R) throws -> sending R { try work() }
}

/// Runs jobs on a serial queue.
///
/// Each call has a queue of its own, or that of a context that it shares with other calls: a concurrent one would share its few threads with the concurrency pool, and closures that
/// wait would keep other tasks from running. The stores bound the number of calls.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
