#if PostgreSQL
import Foundation

/// The thread of a pooled connection, which runs the asynchronous calls with that connection one after the other. It exists while
/// there are calls, and for some seconds afterwards.
///
/// @unchecked: all mutable state is accessed only while the lock of the condition is held.
final class PoolWorker: @unchecked Sendable {
    typealias Job = @Sendable () -> Void

    /// The time in seconds for which the thread waits for its next job.
    private static let patience = 10.0
    // That of other threads, because the closures are the user's.
    private static let stackSize = 8 << 20

    private let condition = NSCondition()
    private var jobs: [Job] = []
    private var hasThread = false
    private var isStopped = false

    /// Runs a job on the thread, after those that were added before.
    func run(_ job: @escaping Job) {
        let needsThread = condition.withLock {
            jobs.append(job)
            condition.signal()
            defer { hasThread = true }
            return !hasThread
        }
        guard needsThread else { return }
        let thread = Thread { self.work() }
        thread.stackSize = Self.stackSize
        thread.name = "Sworm connection"
        thread.start()
    }

    /// Lets the thread wait for jobs again after ``stop()``.
    func resume() { condition.withLock { isStopped = false } }

    /// Lets the thread end after its jobs, without waiting for more.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func work() {
        while let job = nextJob() { job() }
    }

    private func nextJob() -> Job? {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: Self.patience)
        while jobs.isEmpty {
            let isOver = isStopped || !condition.wait(until: end)
            if isOver, jobs.isEmpty {
                hasThread = false
                return nil
            }
        }
        return jobs.removeFirst()
    }
}
#endif
