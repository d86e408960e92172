#if !canImport(CoreData)
import Foundation

/// The threads that run the closures of asynchronous calls.
///
/// The number of calls that run at the same time is about the number of cores. With more, a call that has the write
/// turn would wait for a core while reading calls occupy all of them, and all other writes would wait for that call. A
/// call that has been running for more than a millisecond may itself be waiting, and is no longer counted. The stores
/// limit the number of calls, and therefore the number of threads.
///
/// @unchecked: all mutable state is only accessed while `lock` is held.
final class CallThreads: @unchecked Sendable {
    static let shared = CallThreads(
        limit: max(2, ProcessInfo.processInfo.activeProcessorCount), watchInterval: 1_000)

    private let limit: Int
    private let watchInterval: UInt32
    private let lock = NSLock()
    private var jobs = CallJobs()
    private var workers: [CallWorker] = []
    /// The idle threads, in the order in which they became idle. The last one is called first.
    private var idle: [CallWorker] = []
    /// The number of threads that are looking for a job.
    private var looking = 0
    /// The number of threads whose jobs count towards the limit.
    private var running = 0
    /// The number of threads whose jobs have been running for too long to count.
    private var runningLong = 0
    private var runningBrief = 0
    /// The number of jobs that were started.
    private var begun = 0
    /// Whether a thread is checking the running jobs, or is about to.
    private var isWatched = false
    private var lacksWatcher = false
    /// Whether a job has waited for a thread since the last check.
    private var hasWaited = false

    /// - Parameters:
    ///   - limit: The maximum number of recently started calls that run at the same time.
    ///   - watchInterval: The interval, in microseconds, at which running calls are checked while another call waits
    ///     for a thread. A call that has been running for the whole interval is not counted.
    init(limit: Int, watchInterval: UInt32) { (self.limit, self.watchInterval) = (limit, watchInterval) }

    /// The number of threads.
    var count: Int { lock.withLock { workers.count } }

    /// Runs a job on one of the threads.
    func enqueue(_ kind: CallJobs.Kind, _ job: @escaping CallJobs.Job) {
        lock.withLock {
            jobs.add(kind, job)
            callThreads()
        }
    }

    /// Announces that the call on the calling thread is about to release what it holds, and will do no lengthy work
    /// afterwards: the call that receives it may be waiting for this thread.
    static func callEnds() {
        // The main thread has no worker.
        guard let worker = CallWorker.ofThread else { return }
        worker.threads.lock.withLock { worker.threads.end(worker) }
    }

    // MARK: Threads

    /// Runs jobs on the calling thread until a time passes without one.
    func runJobs(_ worker: CallWorker) {
        while let job = nextJob(worker) {
            job()
            lock.withLock { end(worker) }
        }
    }

    /// Records that the job of a thread has ended, or is about to, unless this was recorded before.
    private func end(_ worker: CallWorker) {
        switch worker.activity {
        case .looking, .idle: return
        case .running: running -= 1
        case .runningLong: runningLong -= 1
        case .runningBrief: runningBrief -= 1
        }
        worker.activity = .looking
        looking += 1
    }

    /// Returns the next job for a thread; nil after a time without one.
    private func nextJob(_ worker: CallWorker) -> CallJobs.Job? {
        lock.lock()
        defer { lock.unlock() }
        var isWatching = false
        while true {
            looking -= 1
            if let job = takeJob(worker) {
                // If jobs are left, another thread takes over checking: one that is looking for a job, or one that is
                // called for it.
                if isWatching || lacksWatcher && looking == 0 { (isWatched, lacksWatcher) = (false, false) }
                callThreads()
                return job
            }
            if lacksWatcher || jobs.waiting > 0 && !isWatched {
                (isWatching, isWatched, lacksWatcher) = (true, true, false)
            }
            if isWatching {
                watch()
                isWatching = jobs.waiting > 0 || hasWaited
                isWatched = isWatching
                hasWaited = false
            } else if !wait(worker) {
                return nil
            }
        }
    }

    private func takeJob(_ worker: CallWorker) -> CallJobs.Job? {
        if runningBrief == 0, let job = jobs.takeBrief() {
            runningBrief += 1
            worker.activity = .runningBrief
            return job
        }
        guard running < limit, let job = jobs.take() else { return nil }
        begun += 1
        running += 1
        worker.activity = .running(begun)
        return job
    }

    /// Waits for a call. Afterwards the thread counts as looking.
    ///
    /// - Returns: False if the wait timed out; the thread then ends.
    private func wait(_ worker: CallWorker) -> Bool {
        worker.activity = .idle
        idle.append(worker)
        lock.unlock()
        let isCalled = worker.waitForCall()
        lock.lock()
        if isCalled { return true }
        if case .looking = worker.activity {
            // The thread was called after the timeout but before the lock was acquired.
            worker.call.wait()
            return true
        }
        idle.removeAll { $0 === worker }
        workers.removeAll { $0 === worker }
        return false
    }

    /// Calls as many threads as there are jobs that may run, or one thread to check the running jobs.
    private func callThreads() {
        if jobs.hasBriefs, runningBrief == 0, looking == 0 { _ = callThread() }
        while jobs.waiting > looking, running + looking < limit { guard callThread() else { return } }
        guard jobs.waiting > looking else { return }
        hasWaited = true
        if !isWatched, callThread() { (isWatched, lacksWatcher) = (true, true) }
    }

    /// Lets a thread look for a job, or check the running jobs.
    ///
    /// - Returns: False if every job already has a thread. One of these threads is active, and calls more if necessary.
    private func callThread() -> Bool {
        if let worker = idle.popLast() {
            worker.activity = .looking
            worker.call.signal()
        } else {
            let brief = !jobs.hasBriefs && runningBrief == 0 ? 0 : 1
            guard workers.count < jobs.waiting + running + runningLong + brief else { return false }
            let worker = CallWorker(self)
            workers.append(worker)
            worker.start()
        }
        looking += 1
        return true
    }

    /// Waits for the check interval, and marks the jobs that ran for all of it. Afterwards the thread counts as
    /// looking.
    private func watch() {
        let before = begun
        lock.unlock()
        usleep(watchInterval)
        lock.lock()
        for worker in workers {
            guard case .running(let number) = worker.activity, number <= before else { continue }
            worker.activity = .runningLong
            running -= 1
            runningLong += 1
        }
        looking += 1
        callThreads()
    }
}
#endif
