import SwormPredicates

/// The lifetime of one `perform`, or of a context that outlives single calls. Every handle that it creates refers to it,
/// and works only during that time and on its thread.
@usableFromInline
final class Scope: Sendable {
    private let owner: ScopeOwner
    // Unsafe: the thread of a call never changes. The thread of another owner changes while its context is held, and the
    // owner's isolation prevents that its handles are used elsewhere. A pointer-sized number is read as a whole.
    private nonisolated(unsafe) var thread: UInt
    // Unsafe: it is accessed on `thread` only, so that checking a handle needs no lock. If a later thread reuses the
    // number of a thread that has ended, the scope is already closed.
    private nonisolated(unsafe) var isOpen = true
    /// The state for use by other threads.
    private let state = Locked(State())
    private let calls: RunningCalls
    private let permission: WritePermission
    /// The error of an operation that cannot throw. It prevents the changes from being saved.
    private let failure = Locked<StoreError?>(nil)

    private struct State: Sendable {
        var hasEnded = false
        /// The reason why a long-lived scope cannot be used now, for example because its container is suspended.
        var obstacle: StoreError?
    }

    init(
        thread: UInt, calls: RunningCalls, permission: WritePermission = WritePermission(), owner: ScopeOwner = .call
    ) {
        self.owner = owner
        self.thread = thread
        self.calls = calls
        self.permission = permission
    }

    /// Ends the scope. Called on its own thread.
    func close() {
        isOpen = false
        state.withLock { $0.hasEnded = true }
    }

    /// Makes the handles usable on a thread, until they are used on the next one; zero for none.
    func move(to thread: UInt) { self.thread = thread }

    /// Notes the reason why a long-lived scope cannot be used now; nil if it can.
    func block(with obstacle: StoreError?) { state.withLock { $0.obstacle = obstacle } }

    /// Whether handles can be used now, on the current thread.
    @usableFromInline var isActive: Bool { CurrentThread.number == thread && isOpen || isActiveOnMain }

    /// Whether the ids of objects can be read now: also between the edits of an editing context.
    var hasCurrentIDs: Bool { isActive || owner == .editor && MainQueue.isCurrent }

    /// Whether the scope belongs to the main actor, and the calling code runs on it. Its thread may change at any time.
    private var isActiveOnMain: Bool { owner == .main && MainQueue.isCurrent }

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
        throw StoreError(.readOnly, "\(subject) \(owner.readOnly)", entity: entity())
    }

    /// Whether objects can be changed in the store without changing them in the context.
    var allowsBulkWriting: Bool { owner.bulkRefusal == nil || permission.allowsBulkWrites }

    /// Throws an error if objects cannot be changed in the store without changing them in the context.
    func checkBulkWriting(_ entity: @autoclosure () -> String) throws(StoreError) {
        guard let refusal = owner.bulkRefusal, !permission.allowsBulkWrites else { return }
        throw StoreError(.unsupported, "Objects of \(entity()) cannot be written in bulk \(refusal)", entity: entity())
    }

    /// Returns the reason why a handle cannot be used now, on the current thread.
    private func refusal(_ entity: String, id: NSManagedObjectID?) -> StoreError {
        let state = state.withLock { $0 }
        if let obstacle = state.obstacle { return obstacle }
        return CurrentThread.number != thread && !state.hasEnded
            ? StoreError(.wrongThread, "\(Scope.name(entity, id: id)) \(owner.wrongThread)", entity: entity)
            : StoreError(.scopeEnded, "\(Scope.name(entity, id: id)) \(owner.scopeEnded)", entity: entity)
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

    /// Returns the error of an operation that could not throw it, and forgets it.
    func takeFailure() -> StoreError? {
        failure.withLock { failure in
            defer { failure = nil }
            return failure
        }
    }

    /// Sets the error of an operation that could not throw it, before all later ones.
    func restore(_ error: StoreError) { failure.withLock { $0 = error } }

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

    /// Whether objects may be written in bulk by an owner that otherwise cannot.
    // Unsafe for the same reason.
    nonisolated(unsafe) var allowsBulkWrites = false

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

    /// Forbids all changes.
    func refuse() { reads += 1 }

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
