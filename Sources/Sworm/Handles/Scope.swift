import SwormPredicates

/// The life of one `perform`: every handle made in it carries it, and works only while it lasts and on its own thread.
@usableFromInline
final class Scope: Sendable {
    private let thread: UInt
    // Unsafe: it is touched on `thread` alone, so that the check of every access costs no lock. A later thread that got the
    // number of one that has ended finds it closed.
    private nonisolated(unsafe) var isOpen = true
    /// The same for other threads.
    private let hasEnded = Locked(false)
    private let calls: RunningCalls
    private let permission: WritePermission
    /// What went wrong in a place that cannot throw, and must not be saved.
    private let failure = Locked<StoreError?>(nil)

    init(thread: UInt, calls: RunningCalls, permission: WritePermission = WritePermission()) {
        self.thread = thread
        self.calls = calls
        self.permission = permission
    }

    /// Ends the scope, on its own thread.
    func close() {
        isOpen = false
        hasEnded.withLock { $0 = true }
    }

    /// Whether handles may be used here and now.
    @usableFromInline var isActive: Bool { Engine.threadNumber == thread && isOpen }

    /// Throws when a handle may not be used here and now.
    ///
    /// - Parameters:
    ///   - entity: The entity of the handle.
    ///   - id: The object's id; nil for a handle of no object.
    func check(_ entity: @autoclosure () -> String, _ id: @autoclosure () -> NSManagedObjectID?) throws(StoreError) {
        if isActive { return }
        throw refusal(entity(), id())
    }

    /// Throws when nothing may be changed here and now.
    ///
    /// - Parameters: As for ``check(_:_:)``.
    func checkWriting(
        _ entity: @autoclosure () -> String, _ id: @autoclosure () -> NSManagedObjectID?
    ) throws(StoreError) {
        try check(entity(), id())
        try checkPermission(entity(), id())
    }

    /// Runs a closure that takes the first value of a bulk write.
    ///
    /// - Throws: A ``StoreError`` while another bulk write is taking its own.
    func takingValue<R>(_ body: () throws -> R) throws -> R { try permission.takingValue(body) }

    /// Throws inside of a read.
    func checkPermission(
        _ entity: @autoclosure () -> String, _ id: @autoclosure () -> NSManagedObjectID?
    ) throws(StoreError) {
        if permission.isGranted { return }
        let subject = id().map { Scope.name(entity(), $0) } ?? "Objects of \(entity())"
        throw StoreError(
            .readOnly, "\(subject) cannot be changed inside of a read. Use perform or write instead of read.",
            entity: entity())
    }

    /// Why a handle may not be used here and now.
    private func refusal(_ entity: String, _ id: NSManagedObjectID?) -> StoreError {
        Engine.threadNumber != thread && !hasEnded.withLock { $0 }
            ? StoreError(
                .wrongThread,
                "\(Scope.name(entity, id)) was used on another thread than its perform runs on. Decode it there, or pass its id on.",
                entity: entity)
            : StoreError(
                .scopeEnded,
                "\(Scope.name(entity, id)) was used after the perform that it belongs to had ended. Decode it inside, or keep its id and fetch it again.",
                entity: entity)
    }

    /// The name of an object for a message: `Book p12`, or `Book t3` before it was saved.
    static func name(_ entity: String, _ id: NSManagedObjectID?) -> String {
        guard let id else { return "A context that was asked for \(entity)" }
        let key = Engine.reference(id).key
        return key < 0 ? "\(entity) t\(key.magnitude)" : "\(entity) p\(key)"
    }

    /// Says what went wrong in a traversal, which cannot throw and yields nothing.
    ///
    /// A misuse is only reported. When the store could not be read, `nothing` is not the truth: then the perform throws at
    /// its end, so that nothing is saved that was made from it.
    func note(_ error: any Error) {
        let error = Scope.asStoreError(error)
        let misuses: [StoreError.Code] = [.scopeEnded, .wrongThread, .objectDeleted, .otherContext]
        if misuses.contains(error.code) || !keep(error) { calls.report(error) }
    }

    /// Says what went wrong in an assignment, which cannot throw: the perform throws it at its end.
    ///
    /// - Parameter other: Another scope that takes part. Where neither is active, the perform that runs on this thread is
    ///   the one that throws.
    func fail(_ error: any Error, _ other: Scope?) {
        let error = Scope.asStoreError(error)
        calls.trapIfStrict(error)
        for scope in [self, other, calls.innermostScope] where scope?.keep(error) ?? false { return }
        calls.report(error)
    }

    /// Keeps an error for the end of the perform; false when the perform does not run on this thread.
    private func keep(_ error: StoreError) -> Bool {
        guard isActive else { return false }
        failure.withLock { $0 = $0 ?? error }
        return true
    }

    /// Throws what went wrong in a place that could not.
    func throwFailure() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Reports what went wrong in a place that could not throw, because the perform throws something else.
    func logFailure() {
        if let error = failure.withLock({ $0 }) { calls.logError?(error) }
    }

    private static func asStoreError(_ error: any Error) -> StoreError {
        (error as? StoreError) ?? StoreError(.storeFailed, "\(error)", cause: error)
    }
}

/// Whether the calls that run inside of each other may change the store. Their scopes share it.
final class WritePermission: Sendable {
    // Unsafe: it is touched on the thread of the scopes alone.
    private nonisolated(unsafe) var reads = 0

    /// Whether the calls may write: no call is a read.
    var isGranted: Bool { reads == 0 }

    /// Whether a bulk write is taking its first value, before its transaction begins.
    // Unsafe for the same reason.
    private nonisolated(unsafe) var isTakingValue = false

    /// Runs a closure that takes the first value of a bulk write. Making a value may not write in bulk itself.
    func takingValue<R>(_ body: () throws -> R) throws -> R {
        guard !isTakingValue else {
            throw StoreError(
                .storeFailed,
                "Values are being written into the store, and nothing else can be written before the last of them. Collect them first, if making them writes too."
            )
        }
        isTakingValue = true
        defer { isTakingValue = false }
        return try body()
    }

    /// Runs a closure that may not change the store if the call around it is a read.
    func limited<R>(to access: StoreAccess, _ body: () throws -> R) rethrows -> R {
        guard access == .read else { return try body() }
        reads += 1
        defer { reads -= 1 }
        return try body()
    }
}

/// How a call uses the store.
enum StoreAccess: Sendable {
    /// One snapshot; nothing is written.
    case read
    /// One snapshot, and changes that are saved at the end.
    case perform
    /// The write lock from the first line.
    case write
}
