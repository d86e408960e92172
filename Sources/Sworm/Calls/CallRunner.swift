import Dispatch

/// Runs the closure of one asynchronous call as a job of the task that called, on a thread that may wait: not one of the
/// concurrency pool. So `Task.isCancelled` and task-local values are those of the task.
actor CallRunner {
    private let executor: CallExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter isMain: Whether the closure runs on the main queue.
    init(isMain: Bool) {
        executor = isMain ? .main : CallExecutor(isMain: false)
    }

    func run<R>(_ work: () throws -> sending R) throws -> sending R { try work() }
}

/// Runs the one job of a call: on a thread of ours, not on one that closures which wait would take from other tasks. The stores
/// bound the number of calls.
final class CallExecutor: SerialExecutor {
    static let main = CallExecutor(isMain: true)

    private let isMain: Bool

    init(isMain: Bool) { self.isMain = isMain }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isMain {
            DispatchQueue.main.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        } else {
            CallThreads.shared.enqueue(job, on: asUnownedSerialExecutor())
        }
    }
}
