import Dispatch

/// Runs the closure of one asynchronous call as a job of the task that called, on a thread that may wait: not one of the
/// concurrency pool. So `Task.isCancelled` and task-local values are those of the task.
actor CallRunner {
    private let executor: QueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter isMain: Whether the closure runs on the main queue.
    init(isMain: Bool) {
        executor = isMain ? .main : QueueExecutor(DispatchQueue(label: "Sworm call"))
    }

    func run<R>(_ work: () throws -> sending R) throws -> sending R { try work() }
}

/// Runs jobs on a serial queue.
///
/// Each call has a queue of its own: a concurrent one would share its few threads with the concurrency pool, and closures that
/// wait would keep other tasks from running. The stores bound the number of calls.
final class QueueExecutor: SerialExecutor {
    static let main = QueueExecutor(.main)

    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
