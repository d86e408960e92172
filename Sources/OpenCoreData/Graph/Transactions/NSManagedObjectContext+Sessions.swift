package import SwormRows
import SwormStore

// The sessions in which a context reads, and their interruption.
extension NSManagedObjectContext {
    /// Returns the open transaction or the pinned session of a store, or nil if there is neither.
    final func pinnedSession(_ origin: ObjectOrigin) throws -> (any StoreSession)? {
        if !transactions.isEmpty, let transaction = transactions[origin] {
            try interruption.check()
            return transaction
        }
        guard transactions.isPinned, let store = origin.store?.objectStore else { return nil }
        if let session = transactions.pinnedSession(of: store) {
            try interruption.check()
            return session
        }
        let session =
            try transactions.onlyRead
            ? store.beginReading(interruption.token) : store.beginSession(interruption.token)
        try transactions.pin(session, of: store)
        return session
    }

    /// Determines whether the sessions that the context pins from now on are never continued by a transaction.
    package final func readOnly(_ isReading: Bool) { transactions.onlyRead = isReading }

    /// Begins the sessions of a context that is pinned, so that all reads see the present state instead of that of the first
    /// read.
    package final func beginPinnedSessions() throws {
        guard transactions.isPinned else { return }
        for store in persistentStoreCoordinator?.persistentStores ?? [] {
            if let origin = store.origin { try pinnedSession(origin)?.fixState() }
        }
    }

    /// Calls a closure with a session of a store: the pinned one, or a new one for this call.
    final func withSession<R>(of origin: ObjectOrigin, _ body: (any StoreSession) throws -> R) throws -> R {
        guard let store = origin.store?.objectStore else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "Cannot read from the store \(origin.storeIdentifier): it was removed from its coordinator.")
        }
        if let session = try pinnedSession(origin) { return try body(session) }
        let session = try store.beginSession(interruption.token)
        defer {
            interruption.leave(session)
            session.end()
        }
        try interruption.enter(session)
        return try body(session)
    }

    /// Stops all reads of the context. May be called from any thread. Subsequent reads also throw, until
    /// ``resumeReading()`` is called or the context is reset.
    package final func interruptReading() { interruption.interrupt() }

    /// Allows the context to read again after it was interrupted.
    package final func resumeReading() { interruption.clear() }

    /// A function that returns whether the work of the context should stop, for long computations. May be called from
    /// any thread.
    package final var stopsWork: @Sendable () -> Bool {
        let token = interruption.token
        return { token.stopsWork }
    }

    /// The properties of the context's transactions, for stores that have them.
    package final var transactionProperties: TransactionProperties {
        get { interruption.token.properties }
        set { interruption.token.properties = newValue }
    }

    /// The time at which the work of the context with its stores is stopped, or nil for no limit.
    package final var deadline: ContinuousClock.Instant? {
        get { interruption.token.deadline }
        set { interruption.token.deadline = newValue }
    }
}
