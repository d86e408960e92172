import SwormPredicates

/// The lifetime of one `perform`. Every handle that it creates refers to it, and works only during that time and on its
/// thread.
@usableFromInline
final class Scope: Sendable {
    private let thread: UInt
    // Unsafe: it is accessed on `thread` only, so that checking a handle needs no lock. If a later thread reuses the
    // number of a thread that has ended, the scope is already closed.
    private nonisolated(unsafe) var isOpen = true
    /// Whether the scope has ended, for use by other threads.
    private let hasEnded = Locked(false)
    private let calls: RunningCalls
    private let permission: WritePermission
    /// The error of an operation that cannot throw. It prevents the changes from being saved.
    private let failure = Locked<StoreError?>(nil)

    init(thread: UInt, calls: RunningCalls, permission: WritePermission = WritePermission()) {
        self.thread = thread
        self.calls = calls
        self.permission = permission
    }

    /// Ends the scope. Called on its own thread.
    func close() {
        isOpen = false
        hasEnded.withLock { $0 = true }
    }

    /// Whether handles can be used now, on the current thread.
    @usableFromInline var isActive: Bool { CurrentThread.number == thread && isOpen }

    /// Throws an error if a handle cannot be used now, on the current thread.
    ///
    /// - Parameters:
    ///   - entity: The entity of the handle.
    ///   - id: The object's id, or nil for a handle without an object.
    func check(_ entity: @autoclosure () -> String, id: @autoclosure () -> NSManagedObjectID?) throws(StoreError) {
        if isActive { return }
        throw refusal(entity(), id: id())
    }

    /// Throws an error if nothing can be changed now, on the current thread.
    ///
    /// - Parameters: See ``check(_:_:)``.
    func checkWriting(
        _ entity: @autoclosure () -> String, id: @autoclosure () -> NSManagedObjectID?
    ) throws(StoreError) {
        try check(entity(), id: id())
        try checkPermission(entity(), id: id())
    }

    /// Runs a closure that reads the first value of a bulk write.
    ///
    /// - Throws: A ``StoreError`` if another bulk write is reading its first value.
    func takingValue<R>(_ body: () throws -> R) throws -> R { try permission.takingValue(body) }

    /// Throws an error within a read.
    func checkPermission(
        _ entity: @autoclosure () -> String, id: @autoclosure () -> NSManagedObjectID?
    ) throws(StoreError) {
        if permission.isGranted { return }
        let subject = id().map { Scope.name(entity(), id: $0) } ?? "Objects of \(entity())"
        throw StoreError(
            .readOnly, "\(subject) cannot be changed inside a read. Use `perform` or `write` instead of `read`.",
            entity: entity())
    }

    /// Returns the reason why a handle cannot be used now, on the current thread.
    private func refusal(_ entity: String, id: NSManagedObjectID?) -> StoreError {
        CurrentThread.number != thread && !hasEnded.withLock { $0 }
            ? StoreError(
                .wrongThread,
                "\(Scope.name(entity, id: id)) was used on another thread than its perform. Decode it inside the perform, or pass its id.",
                entity: entity)
            : StoreError(
                .scopeEnded,
                "\(Scope.name(entity, id: id)) was used after its perform had ended. Decode it inside the perform, or keep its id and fetch it again.",
                entity: entity)
    }

    /// Returns the name of an object for a message: `Book p12`, or `Book t3` before it is saved.
    static func name(_ entity: String, id: NSManagedObjectID?) -> String {
        guard let id else { return "A context that was used for \(entity)" }
        let key = id.reference.key
        return key < 0 ? "\(entity) t\(key.magnitude)" : "\(entity) p\(key)"
    }

    /// Records an error of a traversal, which cannot throw and returns no objects.
    ///
    /// A misuse is only reported. If the store could not be read, the empty result is wrong: the `perform` then throws
    /// at its end, so that nothing that is based on it is saved.
    func note(_ error: any Error) {
        let error = Scope.asStoreError(error)
        let misuses: [StoreError.Code] = [.scopeEnded, .wrongThread, .objectDeleted, .otherContext]
        if misuses.contains(error.code) || !keep(error) { calls.report(error) }
    }

    /// Records an error of an assignment, which cannot throw. The `perform` throws the error at its end.
    ///
    /// - Parameter other: Another scope that takes part. If neither scope is active, the `perform` that runs on this
    ///   thread throws the error.
    func fail(_ error: any Error, with other: Scope?) {
        let error = Scope.asStoreError(error)
        calls.trapIfStrict(error)
        for scope in [self, other, calls.innermostScope] where scope?.keep(error) ?? false { return }
        calls.report(error)
    }

    /// Stores an error for the end of the `perform`. Returns false if the `perform` does not run on this thread.
    private func keep(_ error: StoreError) -> Bool {
        guard isActive else { return false }
        failure.withLock { $0 = $0 ?? error }
        return true
    }

    /// Throws the error of an operation that could not throw it.
    func throwFailure() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Reports the error of an operation that could not throw it, because the `perform` throws another one.
    func logFailure() {
        if let error = failure.withLock({ $0 }) { calls.logError?(error) }
    }

    private static func asStoreError(_ error: any Error) -> StoreError {
        (error as? StoreError) ?? StoreError(.storeFailed, "\(error)", cause: error)
    }
}

/// The permission of nested calls to change the store. Their scopes share it.
final class WritePermission: Sendable {
    // Unsafe: it is accessed on the thread of the scopes only.
    private nonisolated(unsafe) var reads = 0

    /// Whether the calls may write, because no call is a read.
    var isGranted: Bool { reads == 0 }

    /// Whether a bulk write is reading its first value, before its transaction starts.
    // Unsafe for the same reason.
    private nonisolated(unsafe) var isTakingValue = false

    /// Runs a closure that reads the first value of a bulk write. Creating a value must not start a bulk write itself.
    func takingValue<R>(_ body: () throws -> R) throws -> R {
        guard !isTakingValue else {
            throw StoreError(
                .storeFailed,
                "The store cannot be written while a sequence of values is being written. If computing the values writes too, collect them first."
            )
        }
        isTakingValue = true
        defer { isTakingValue = false }
        return try body()
    }

    /// Runs a closure that cannot change the store if the enclosing call is a read.
    func limited<R>(to access: StoreAccess, _ body: () throws -> R) rethrows -> R {
        guard access == .read else { return try body() }
        reads += 1
        defer { reads -= 1 }
        return try body()
    }
}

/// The way in which a call uses the store.
enum StoreAccess: Sendable {
    /// One snapshot, without changes.
    case read
    /// One snapshot, with changes that are saved at the end.
    case perform
    /// The write lock, from the start of the call.
    case write
}
