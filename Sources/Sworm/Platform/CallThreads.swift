#if !canImport(CoreData)
import Foundation

/// The threads that run the closures of asynchronous calls: as many as calls run at the same time.
///
/// Dispatch makes one more for a call that begins while the thread of one that has just ended is not idle yet, and keeps it for
/// seconds. Here a job waits for such a thread.
///
/// @unchecked: everything that changes is only touched while `condition` is locked.
final class CallThreads: @unchecked Sendable {
    static let shared = CallThreads()

    /// How long a thread waits for its next job.
    private static let patience = 5.0
    // Dispatch's threads have as much.
    private static let stackSize = 8 << 20
    private static let isOurs: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private let condition = NSCondition()
    private var jobs: [@Sendable () -> Void] = []
    private var idle = 0
    /// The threads whose calls have ended, and which will look for a job at once.
    private var ending = 0

    /// Runs a job on one of the threads.
    func enqueue(_ job: @escaping @Sendable () -> Void) {
        condition.lock()
        defer { condition.unlock() }
        jobs.append(job)
        // A thread that is about to look for a job takes it sooner than one that has to be woken.
        if idle > 0, jobs.count > ending { condition.signal() }
        guard jobs.count > idle + ending else { return }
        // It begins as one that looks for a job.
        ending += 1
        let thread = Thread { [self] in work() }
        thread.name = "Sworm call"
        thread.stackSize = Self.stackSize
        thread.start()
    }

    /// Says that the call on the calling thread is about to give back what it holds, and does nothing after that which takes
    /// time: whoever gets it may wait for this thread.
    static func callEnds() {
        // Not the main thread, and not one whose call has ended.
        guard pthread_getspecific(isOurs) == UnsafeMutableRawPointer(bitPattern: 1) else { return }
        pthread_setspecific(isOurs, UnsafeMutableRawPointer(bitPattern: 2))
        shared.condition.lock()
        shared.ending += 1
        shared.condition.unlock()
    }

    private func work() {
        while let job = nextJob() {
            pthread_setspecific(Self.isOurs, UnsafeMutableRawPointer(bitPattern: 1))
            job()
            Self.callEnds()
            pthread_setspecific(Self.isOurs, nil)
        }
    }

    /// The next job for the calling thread, which counts as ending; nil after a while without one.
    private func nextJob() -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        ending -= 1
        if jobs.isEmpty {
            idle += 1
            defer { idle -= 1 }
            let end = Date(timeIntervalSinceNow: Self.patience)
            while jobs.isEmpty { guard condition.wait(until: end) else { break } }
        }
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }
}
#endif
