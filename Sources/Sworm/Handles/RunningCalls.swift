import SwormPredicates

/// The calls of a container that are running, and where their errors go that cannot be thrown.
final class RunningCalls: Sendable {
    let logError: (@Sendable (any Error) -> Void)?
    private let isStrict: Bool
    /// By the number of the thread.
    let scopes = Locked<[UInt: RunningScopes]>([:])

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

    /// The scope of the innermost call that runs on the calling thread.
    var innermostScope: Scope? { scopes.withLock { $0[Engine.threadNumber]?.scopes.last } }
}

/// The scopes of one container that one thread is in, the outermost first.
struct RunningScopes: @unchecked Sendable {
    // Looked up under the container's lock by the number of the thread that runs the scopes, and used by that thread only.
    // Hence the unchecked conformance.
    let context: NSManagedObjectContext
    let bindings: BindingCache
    let permission: WritePermission
    /// Whether the outermost call is a write.
    let isWrite: Bool
    var scopes: [Scope]
}
