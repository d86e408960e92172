#if !canImport(CoreData)
import Foundation

/// The threads that run the closures of asynchronous calls.
///
/// About as many run at the same time as the machine has cores. With more, a call that has the write turn would wait for a core
/// while calls that read use all of them, and all other writes would wait for it. A call that runs for longer than a millisecond
/// may be waiting itself, and is not counted any more. The stores bound the number of calls, and so the number of threads.
///
/// @unchecked: everything that changes is only touched while `lock` is held.
final class CallThreads: @unchecked Sendable {
    static let shared = CallThreads(
        limit: max(2, ProcessInfo.processInfo.activeProcessorCount), watchInterval: 1_000)

    private let limit: Int
    private let watchInterval: UInt32
    private let lock = NSLock()
    private var jobs = CallJobs()
    private var workers: [CallWorker] = []
    /// The latest last: it is the first to be called.
    private var idle: [CallWorker] = []
    /// The threads that look for a job.
    private var looking = 0
    /// The threads whose jobs count.
    private var running = 0
    /// The threads whose jobs have run for so long that they do not count.
    private var runningLong = 0
    private var runningBrief = 0
    /// The number of jobs that were begun.
    private var begun = 0
    /// Whether a thread is to look, or looks, at those that run.
    private var isWatched = false
    private var lacksWatcher = false
    /// Whether a job has waited for a thread since the last look.
    private var hasWaited = false

    /// - Parameters:
    ///   - limit: How many calls that have just begun run at the same time.
    ///   - watchInterval: How often the calls that run are looked at while one waits for a thread, in microseconds. One
    ///     that has run for all of it is not counted.
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

    /// Says that the call on the calling thread is about to give back what it holds, and does nothing after that which takes
    /// time: whoever gets it may wait for this thread.
    static func callEnds() {
        // Not the main thread.
        guard let worker = CallWorker.ofThread else { return }
        worker.threads.lock.withLock { worker.threads.end(worker) }
    }

    // MARK: Threads

    /// Runs jobs on the calling thread until a while passes without one.
    func runJobs(_ worker: CallWorker) {
        while let job = nextJob(worker) {
            job()
            lock.withLock { end(worker) }
        }
    }

    /// Notes that the job of a thread has ended, or is about to, unless it was noted before.
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

    /// The next job for a thread; nil after a while without one.
    private func nextJob(_ worker: CallWorker) -> CallJobs.Job? {
        lock.lock()
        defer { lock.unlock() }
        var isWatching = false
        while true {
            looking -= 1
            if let job = takeJob(worker) {
                // Another thread watches, if jobs are left: one that looks for a job, or one that is called for it.
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

    /// Waits until a job may be there. Afterwards the thread counts as looking.
    ///
    /// - Returns: False where none came; the thread ends then.
    private func wait(_ worker: CallWorker) -> Bool {
        worker.activity = .idle
        idle.append(worker)
        lock.unlock()
        let isCalled = worker.waitForCall()
        lock.lock()
        if isCalled { return true }
        if case .looking = worker.activity {
            // It was called just now.
            worker.call.wait()
            return true
        }
        idle.removeAll { $0 === worker }
        workers.removeAll { $0 === worker }
        return false
    }

    /// Calls as many threads as there are jobs that may run, or one to watch those that run.
    private func callThreads() {
        if jobs.hasBriefs, runningBrief == 0, looking == 0 { _ = callThread() }
        while jobs.waiting > looking, running + looking < limit { guard callThread() else { return } }
        guard jobs.waiting > looking else { return }
        hasWaited = true
        if !isWatched, callThread() { (isWatched, lacksWatcher) = (true, true) }
    }

    /// Lets a thread look for a job, or watch.
    ///
    /// - Returns: False where there is a thread for each job already. One of them looks, or watches, and will call more.
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

    /// Lets some time pass, and notes which jobs ran for all of it. Afterwards the thread counts as looking.
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
