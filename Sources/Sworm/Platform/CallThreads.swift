#if !canImport(CoreData)
import Foundation

/// The threads that run the closures of asynchronous calls.
///
/// About as many run at the same time as the machine has cores. With more, a call that has the write turn would wait for a core
/// while calls that read use all of them, and the others would wait for it. A call that runs for longer than a millisecond
/// may be waiting itself, and is not counted any more. The stores bound the number of calls, and so the number of threads.
///
/// @unchecked: everything that changes is only touched while `lock` is held.
final class CallThreads: @unchecked Sendable {
    static let shared = CallThreads(
        limit: max(2, ProcessInfo.processInfo.activeProcessorCount), watchInterval: 1_000)

    typealias Job = @Sendable () -> Void

    enum Kind {
        case read
        /// It has a write turn, and goes before those that read, but for every other time.
        case write
        /// It waits for nothing and uses no store. One thread runs these one after the other.
        case brief
    }

    /// How long a thread waits for its next job.
    private static let patience = 5.0
    // Dispatch's threads have as much.
    private static let stackSize = 8 << 20
    private static let current: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// What a thread does.
    private enum Activity {
        /// It looks for a job, or will at once.
        case looking
        /// It runs the job of a number, and counts.
        case running(Int)
        /// It has run its job for so long that it does not count.
        case runningLong
        /// It runs a brief job, which does not count.
        case runningBrief
        case idle
    }

    /// @unchecked: as the threads.
    private final class Worker: @unchecked Sendable {
        let threads: CallThreads
        var activity = Activity.looking
        let call = DispatchSemaphore(value: 0)

        init(_ threads: CallThreads) { self.threads = threads }
    }

    private let limit: Int
    private let watchInterval: UInt32
    private let lock = NSLock()
    private var writes: [Job] = []
    private var reads: [Job] = []
    // There may be very many of them, when a group of tasks is cancelled.
    private var briefs: ArraySlice<Job> = []
    private var hasTakenWrite = false
    private var workers: [Worker] = []
    /// The latest last: it is the first to be called.
    private var idle: [Worker] = []
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
    ///   - watchInterval: How often the calls that run are looked at while others wait for a thread, in microseconds. One
    ///     that has run for all of it is not counted.
    init(limit: Int, watchInterval: UInt32) { (self.limit, self.watchInterval) = (limit, watchInterval) }

    /// The number of threads.
    var count: Int { lock.withLock { workers.count } }

    /// Runs a job on one of the threads.
    func enqueue(_ kind: Kind, _ job: @escaping Job) {
        lock.withLock {
            switch kind {
            case .read: reads.append(job)
            case .write: writes.append(job)
            case .brief: briefs.append(job)
            }
            callThreads()
        }
    }

    /// Says that the call on the calling thread is about to give back what it holds, and does nothing after that which takes
    /// time: whoever gets it may wait for this thread.
    static func callEnds() {
        // Not the main thread.
        guard let pointer = pthread_getspecific(current) else { return }
        let worker = Unmanaged<Worker>.fromOpaque(pointer).takeUnretainedValue()
        worker.threads.lock.withLock { worker.threads.end(worker) }
    }

    // MARK: Threads

    private func work(_ worker: Worker) {
        pthread_setspecific(Self.current, Unmanaged.passUnretained(worker).toOpaque())
        while let job = nextJob(worker) {
            job()
            lock.withLock { end(worker) }
        }
        pthread_setspecific(Self.current, nil)
    }

    /// Notes that the job of a thread has ended, or is about to, unless it was noted before.
    private func end(_ worker: Worker) {
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
    private func nextJob(_ worker: Worker) -> Job? {
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
            if lacksWatcher || waiting > 0 && !isWatched {
                (isWatching, isWatched, lacksWatcher) = (true, true, false)
            }
            if isWatching {
                watch()
                isWatching = waiting > 0 || hasWaited
                isWatched = isWatching
                hasWaited = false
            } else if !wait(worker) {
                return nil
            }
        }
    }

    /// The jobs that wait for a thread, but for brief ones.
    private var waiting: Int { writes.count + reads.count }

    private func takeJob(_ worker: Worker) -> Job? {
        if runningBrief == 0, let job = briefs.popFirst() {
            runningBrief += 1
            worker.activity = .runningBrief
            return job
        }
        guard waiting > 0, running < limit else { return nil }
        begun += 1
        running += 1
        worker.activity = .running(begun)
        // Where several files are written, reads must not wait for all of them.
        hasTakenWrite = !writes.isEmpty && (reads.isEmpty || !hasTakenWrite)
        return hasTakenWrite ? writes.removeFirst() : reads.removeFirst()
    }

    /// Waits until a job may be there. Afterwards the thread counts as looking.
    ///
    /// - Returns: False where none came; the thread ends then.
    private func wait(_ worker: Worker) -> Bool {
        worker.activity = .idle
        idle.append(worker)
        lock.unlock()
        let isCalled = worker.call.wait(timeout: .now() + Self.patience) == .success
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
        if !briefs.isEmpty, runningBrief == 0, looking == 0 { _ = callThread() }
        while waiting > looking, running + looking < limit { guard callThread() else { return } }
        guard waiting > looking else { return }
        hasWaited = true
        if !isWatched, callThread() { (isWatched, lacksWatcher) = (true, true) }
    }

    /// Lets a thread look for a job, or watch.
    ///
    /// - Returns: False where there is a thread for each job already. One of them looks, or watches, and will call others.
    private func callThread() -> Bool {
        if let worker = idle.popLast() {
            worker.activity = .looking
            worker.call.signal()
        } else {
            let brief = briefs.isEmpty && runningBrief == 0 ? 0 : 1
            guard workers.count < waiting + running + runningLong + brief else { return false }
            let worker = Worker(self)
            workers.append(worker)
            if !Self.start(worker) {
                // The system has no thread for now. Dispatch asks again until it has.
                DispatchQueue(label: "Sworm call").async { [self] in work(worker) }
            }
        }
        looking += 1
        return true
    }

    /// Starts a thread that works for a worker.
    private static func start(_ worker: Worker) -> Bool {
        let argument = Unmanaged.passRetained(worker)
        let isStarted = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress, pthread_attr_init(attributes) == 0 else { return false }
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, stackSize)
            pthread_attr_setdetachstate(attributes, CInt(PTHREAD_CREATE_DETACHED))
            var thread: pthread_t = 0
            let code = pthread_create(
                &thread, attributes,
                { argument in
                    guard let argument else { return nil }
                    Thread.current.name = "Sworm call"
                    let worker = Unmanaged<Worker>.fromOpaque(argument).takeRetainedValue()
                    worker.threads.work(worker)
                    return nil
                }, argument.toOpaque())
            return code == 0
        }
        if !isStarted { argument.release() }
        return isStarted
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
