#if !canImport(CoreData)
import Foundation

/// One of the threads of ``CallThreads``.
///
/// @unchecked: what changes is only touched while the lock of those threads is held.
final class CallWorker: @unchecked Sendable {
    enum Activity {
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

    /// How long a thread waits for its next job.
    private static let patience = 5.0
    // Dispatch's threads have as much.
    private static let stackSize = 8 << 20
    private static let current: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    let threads: CallThreads
    var activity = Activity.looking
    /// Ends the wait of an idle thread.
    let call = DispatchSemaphore(value: 0)

    init(_ threads: CallThreads) { self.threads = threads }

    /// The worker of the calling thread; nil on a thread of another kind.
    static var ofThread: CallWorker? {
        pthread_getspecific(current).map { Unmanaged<CallWorker>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Waits until the thread is called.
    ///
    /// - Returns: False where it was not for a while.
    func waitForCall() -> Bool { call.wait(timeout: .now() + Self.patience) == .success }

    /// Starts a thread that works.
    func start() {
        // Where the system has no thread for now, Dispatch asks again until it has.
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

    /// Runs jobs on the calling thread until a while passes without one.
    func work() {
        pthread_setspecific(Self.current, Unmanaged.passUnretained(self).toOpaque())
        threads.runJobs(self)
        pthread_setspecific(Self.current, nil)
    }
}
#endif
