#if !canImport(CoreData)
import Foundation

/// A thread of ``CallThreads``.
///
/// @unchecked: mutable state is only accessed while the lock of ``CallThreads`` is held.
final class CallWorker: @unchecked Sendable {
    enum Activity {
        /// The thread is looking for a job, or is about to.
        case looking
        /// The thread runs the job with the given number, which counts towards the limit.
        case running(Int)
        /// The thread has been running its job for too long to count.
        case runningLong
        /// The thread runs a brief job, which does not count.
        case runningBrief
        case idle
    }

    /// The time in seconds for which a thread waits for its next job.
    private static let patience = 5.0
    // The size of the stack, which is that of Dispatch's threads.
    private static let stackSize = 8 << 20
    private static let current: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    let threads: CallThreads
    var activity = Activity.looking
    /// A semaphore that wakes the idle thread.
    let call = DispatchSemaphore(value: 0)

    init(_ threads: CallThreads) { self.threads = threads }

    /// The worker of the calling thread; nil if the thread does not belong to ``CallThreads``.
    static var ofThread: CallWorker? {
        pthread_getspecific(current).map { Unmanaged<CallWorker>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Waits until the thread is called.
    ///
    /// - Returns: False if the wait timed out.
    func waitForCall() -> Bool { call.wait(timeout: .now() + Self.patience) == .success }

    /// Starts a thread that runs jobs.
    func start() {
        // If the system cannot create a thread, Dispatch retries until it can.
        if !startThread() { DispatchQueue(label: "Sworm call").async { self.work() } }
    }

    private func startThread() -> Bool {
        let argument = Unmanaged.passRetained(self)
        let isStarted = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress, pthread_attr_init(attributes) == 0 else { return false }
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, Self.stackSize)
            pthread_attr_setdetachstate(attributes, CInt(PTHREAD_CREATE_DETACHED))
            var thread: pthread_t = 0
            let code = pthread_create(
                &thread, attributes,
                { argument in
                    guard let argument else { return nil }
                    Thread.current.name = "Sworm call"
                    Unmanaged<CallWorker>.fromOpaque(argument).takeRetainedValue().work()
                    return nil
                }, argument.toOpaque())
            return code == 0
        }
        if !isStarted { argument.release() }
        return isStarted
    }

    /// Runs jobs on the calling thread until a time passes without one.
    func work() {
        pthread_setspecific(Self.current, Unmanaged.passUnretained(self).toOpaque())
        threads.runJobs(self)
        pthread_setspecific(Self.current, nil)
    }
}
#endif
