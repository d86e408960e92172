import SwormPredicates

/// The running calls of a container, and the handler of errors that cannot be thrown.
final class RunningCalls: Sendable {
    let logError: (@Sendable (any Error) -> Void)?
    let isStrict: Bool
    /// The scopes of each thread, by the number of the thread.
    let scopes = Locked<[UInt: RunningScopes]>([:])

    /// The threads that run jobs of long-lived contexts.
    private let jobs = Locked<[UInt: Int]>([:])

    init(logError: (@Sendable (any Error) -> Void)?, isStrict: Bool) {
        self.logError = logError
        self.isStrict = isStrict
    }

    /// Reports a misuse that could not be thrown.
    func report(_ error: StoreError) {
        logError?(error)
        trapIfStrict(error)
    }

    func trapIfStrict(_ error: StoreError) { precondition(!isStrict, error.description) }

    /// Notes that the calling thread runs a job of a long-lived context.
    func enterJob() { jobs.withLock { $0[CurrentThread.number, default: 0] += 1 } }

    func leaveJob() {
        jobs.withLock { jobs in
            let count = (jobs[CurrentThread.number] ?? 1) - 1
            jobs[CurrentThread.number] = count > 0 ? count : nil
        }
    }

    /// Whether the calling thread is inside of a call, or runs a job of a long-lived context.
    var areOnThread: Bool {
        scopes.withLock { $0[CurrentThread.number] != nil } || jobs.withLock { $0[CurrentThread.number] != nil }
    }

    /// The scope of the innermost call on the calling thread.
    var innermostScope: Scope? { scopes.withLock { $0[CurrentThread.number]?.scopes.last } }
}

/// The scopes of one container on one thread, the outermost first.
struct RunningScopes: @unchecked Sendable {
    // Unchecked, because it is looked up under the container's lock by the number of the thread that runs the scopes,
    // and used by that thread only.
    let context: NSManagedObjectContext
    let bindings: BindingCache
    let permission: WritePermission
    /// Whether the outermost call is a write.
    let isWrite: Bool
    var scopes: [Scope]
}
