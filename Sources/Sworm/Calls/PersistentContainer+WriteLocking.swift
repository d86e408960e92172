// Calls that lock single rows.
extension PersistentContainer {
    /// Runs a closure that has locked the rows of a request from the start, on the calling thread, and commits its changes
    /// when it returns.
    ///
    /// On PostgreSQL, other transactions that write one of these rows wait until the closure ends, and those that write
    /// other rows continue. The closure reads one state of the store, which has the rows as they were when they were
    /// locked, so that its changes of them meet no conflict. Changes of other rows can. Rows that are locked in different
    /// calls are locked in the order of their keys; two calls that lock rows by nested calls can still wait for each other,
    /// and one of them then gets a conflict.
    ///
    /// ```swift
    /// try store.write(locking: Account.all.where(\.number == number)) { context in
    ///     let account = try context.fetchOne(Account.all.where(\.number == number))
    ///     try account?.encode(\.balance, 10)
    /// }
    /// ```
    /// A store in a file has no locks of single rows: there, the call locks the whole store, as `write` without rows does.
    /// Inside another write it joins that one, and locks the rows too.
    ///
    /// - Parameters:
    ///   - rows: The request that finds the rows. Its whole condition should be one that the server evaluates.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or written: `timedOut` if the
    ///   locks did not become free in time.
    @discardableResult
    public func write<PlainObject: ManagedObjectConvertible, R>(
        locking rows: Request<PlainObject>, deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> sending R
    ) throws -> sending R {
        var result: R?
        try run(as: .write(locking: RowLocks(rows), deadline: deadline)) { result = try action($0) }
        guard let result else { throw StoreError.noResult }
        // The closure created the value and gave it away; only this frame holds it on its way to the caller. The
        // compiler cannot prove that through the layers below.
        nonisolated(unsafe) let given = result
        return given
    }

    /// Runs a closure that has locked the rows of a request from the start: the variant for functions and generic
    /// wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - rows: The request that finds the rows.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or written.
    @discardableResult
    public func write<PlainObject: ManagedObjectConvertible, R: Sendable>(
        locking rows: Request<PlainObject>, deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> R
    ) throws -> R {
        var result: R?
        try run(as: .write(locking: RowLocks(rows), deadline: deadline)) { result = try action($0) }
        guard let result else { throw StoreError.noResult }
        return result
    }

    /// Runs a closure that has locked the rows of a request from the start, and returns nothing.
    ///
    /// - Parameters:
    ///   - rows: The request that finds the rows.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read or written.
    public func write<PlainObject: ManagedObjectConvertible>(
        locking rows: Request<PlainObject>, deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> Void
    ) throws {
        try run(as: .write(locking: RowLocks(rows), deadline: deadline), action)
    }

    /// Runs a closure that has locked the rows of a request from the start, without blocking a thread of the concurrency
    /// pool, and commits its changes when it returns.
    ///
    /// - Parameters:
    ///   - rows: The request that finds the rows.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError``.
    @discardableResult
    public func write<PlainObject: ManagedObjectConvertible, R>(
        locking rows: Request<PlainObject>, deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> sending R
    ) async throws -> sending R {
        try await result(as: .write(locking: RowLocks(rows), deadline: deadline), action)
    }

    /// Runs a closure that has locked the rows of a request from the start, without blocking a thread: the variant for
    /// functions and generic wrappers without `sending`.
    ///
    /// - Parameters:
    ///   - rows: The request that finds the rows.
    ///   - deadline: The time at which the call is abandoned, even while it waits; nil for no deadline.
    ///   - action: A closure that reads and changes the store.
    /// - Returns: The result of the closure.
    /// - Throws: `CancellationError` if the task was cancelled, the error of the closure, or a ``StoreError``.
    @discardableResult
    public func write<PlainObject: ManagedObjectConvertible, R: Sendable>(
        locking rows: Request<PlainObject>, deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> R
    ) async throws -> R {
        try await sendableResult(as: .write(locking: RowLocks(rows), deadline: deadline), action)
    }
}
