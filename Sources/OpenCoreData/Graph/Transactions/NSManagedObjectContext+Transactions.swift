import SwormRows
package import SwormStore

// A context that works in one transaction reads its own writes there; other connections do not see them before the
// commit.
extension NSManagedObjectContext {
    /// Determines whether subsequent writes stay in a transaction until ``commitTransactions()``.
    ///
    /// The transaction starts with the first write that bypasses the context's objects. A context that writes only
    /// objects does not need one.
    package final func keepTransactions(_ areKept: Bool) { transactions.areKept = areKept }

    /// Calls a closure with a store's open transaction, or with a new one. The transaction then stays open or is
    /// committed, depending on ``keepTransactions(_:)``.
    final func withTransaction<Output>(
        of origin: ObjectOrigin, _ body: (any StoreTransaction) throws -> Output
    ) throws -> Output {
        guard let store = origin.store?.objectStore else {
            throw CoreDataError(
                NSPersistentStoreSaveError, "Cannot write: the store \(origin.storeIdentifier) was removed.")
        }
        if let reason = store.readOnlyReason {
            throw CoreDataError(NSPersistentStoreSaveError, "Cannot write: \(reason).", condition: .readOnly)
        }
        if let transaction = transactions[origin] { return try body(transaction) }
        if transactions.areKept { return try body(try keepTransaction(of: store, origin)) }
        // A pinned session would prevent the transaction from seeing, or waiting for, newer changes.
        transactions.endPinned()
        let transaction = try store.beginTransaction(interruption.token)
        defer { transaction.end() }
        let output = try body(transaction)
        try transaction.commit()
        return output
    }

    /// Starts a transaction of a store that stays open: from the snapshot that the context has read there, or else
    /// immediately.
    ///
    /// - Throws: A conflict if other changes were committed since that snapshot. The context then continues to read the
    ///   snapshot.
    private func keepTransaction(
        of store: any ObjectStore, _ origin: ObjectOrigin
    ) throws -> any StoreTransaction {
        let transaction: any StoreTransaction
        // Nobody can write to a snapshot that other contexts read, too.
        if transactions.pinnedSession(of: store) is SharedSession { transactions.endPinned() }
        if let session = transactions.pinnedSession(of: store) {
            transaction = try store.beginTransaction(from: session, interruption.token)
            transactions.unpin(session)
            transactions.add(transaction, for: origin)
            // Values that were read earlier must not change if the part of the work that started the transaction is
            // undone.
            if transactions.depth > 0 { try transaction.keepSnapshot() }
        } else {
            transaction = try store.beginTransaction(interruption.token)
            transactions.add(transaction, for: origin)
        }
        try interruption.enter(transaction)
        return transaction
    }

    /// Starts the transaction of a bulk write that uses objects, in the same way as one that uses statements: from the
    /// snapshot that was read. It stays open. If the context commits its writes immediately, no transaction is started.
    ///
    /// - Parameter number: The entity whose objects are written.
    /// - Throws: A conflict if other changes were committed since the snapshot. The context then continues to read the
    ///   snapshot.
    package final func beginBulkWrite(of number: Int) throws {
        guard transactions.areKept else { return }
        for origin in try requireCoordinator().origins(of: number)
        where origin.store?.objectStore.readOnlyReason == nil {
            try withTransaction(of: origin) { _ in }
        }
    }

    /// Starts a transaction of the context's only store that acquires the write lock immediately, and stays open until
    /// it is committed or undone.
    ///
    /// - Throws: An error if the context has several stores, or its store is read-only; and the store's error.
    package final func beginWriting() throws { try beginWriting { try $0.beginTransaction($1) } }

    /// Starts a transaction of the context's only store that locks the rows of a request, and stays open until it is
    /// committed or undone. A store that cannot lock single rows is locked as a whole.
    ///
    /// - Parameter rows: The request.
    package final func beginWriting(locking rows: FetchSpecification) throws {
        try beginWriting { try $0.beginTransaction(locking: rows, $1) }
    }

    /// Locks the rows of a request in the open transaction of the context's only store, if the store can.
    package final func lock(_ rows: FetchSpecification) throws {
        let (origin, _) = try onlyStore()
        try transactions[origin]?.lock(rows)
    }

    /// Starts a serializable transaction of the context's only store, which stays open until it is committed or undone.
    package final func beginSerializable() throws { try beginWriting { try $0.beginSerializableTransaction($1) } }

    private func beginWriting(
        _ begin: (any ObjectStore, InterruptToken) throws -> any StoreTransaction
    ) throws {
        let (origin, store) = try onlyStore()
        transactions.endPinned()
        transactions.areKept = true
        let transaction = try begin(store, interruption.token)
        transactions.add(transaction, for: origin)
        try interruption.enter(transaction)
    }

    /// Throws an error if ``beginWriting()`` would, regardless of which connection holds the write lock.
    package final func checkWriting() throws { _ = try onlyStore() }

    private func onlyStore() throws -> (ObjectOrigin, any ObjectStore) {
        let stores = try requireCoordinator().persistentStores
        guard let origin = stores.first?.origin, let store = origin.store?.objectStore, stores.count == 1 else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "A transaction that holds the write lock from its beginning needs exactly one store; this context has \(stores.count). Use one context for each store.",
                condition: .unsupported)
        }
        if let reason = store.readOnlyReason {
            throw CoreDataError(NSPersistentStoreSaveError, "Cannot write: \(reason).", condition: .readOnly)
        }
        return (origin, store)
    }

    /// Whether the context has an open transaction, and therefore holds the write lock.
    package final var isWriting: Bool { !transactions.isEmpty }

    /// Writes the request of a save to the open transaction, or to a separate one.
    ///
    /// - Parameter view: A session that ends with the save, and that a separate transaction may continue.
    final func write(
        _ request: SaveRequest, to origin: ObjectOrigin, store: any ObjectStore, continuing view: (any StoreSession)?
    ) throws -> SaveResult {
        guard let transaction = transactions[origin] else {
            if let view { return try store.save(request, continuing: view, token: interruption.token) }
            return try store.save(request, token: interruption.token)
        }
        view?.end()
        return try transaction.save(request)
    }

    /// Starts the transactions of a save that writes to several stores, if transactions are kept: nothing is committed
    /// before everything is written.
    final func keepTransactions(of origins: [ObjectOrigin]) throws {
        guard transactions.areKept, origins.count > 1 || !transactions.isEmpty else { return }
        // All saves use the same order, so that two saves do not wait for each other.
        let missing = origins.filter { transactions[$0] == nil }.sorted { $0.storeIdentifier < $1.storeIdentifier }
        guard !missing.isEmpty else { return }
        // Objects are compared row by row, not with the snapshot that was read.
        transactions.parkPinned()
        for origin in missing {
            guard let store = origin.store?.objectStore, store.readOnlyReason == nil else { continue }
            _ = try keepTransaction(of: store, origin)
        }
    }

    /// Commits the open transactions. An error that can be detected beforehand is thrown before the first commit.
    package final func commitTransactions() throws {
        // An observer of a save may also write.
        while !transactions.isEmpty {
            transactions.leaveInterruption()
            try commit(transactions.all[...])
            for announcement in transactions.takeAll().announcements { announcement() }
            forgetReadAhead()
        }
    }

    private func commit(_ transactions: ArraySlice<any StoreTransaction>) throws {
        let further = transactions.dropFirst()
        try transactions.first?.commit(after: further.isEmpty ? nil : { try self.commit(further) })
    }

    /// Undoes everything that was written in the open transactions.
    ///
    /// - Parameter restoring: A closure that restores the unsaved changes of the context's objects. It is called after
    ///   the transactions are undone. All objects that then have no unsaved changes are read again when they are next
    ///   used, because they may have been read from rows that were undone.
    package final func undoTransactions(restoring: () -> Void) {
        let undone = transactions.takeAll().transactions
        for transaction in undone {
            interruption.leave(transaction)
            transaction.end()
        }
        restoring()
        if !undone.isEmpty { refreshUnchanged { _ in true } }
    }

    // MARK: Parts of a transaction

    /// Records the current state of the transactions.
    package final func markTransactions() -> TransactionMarks { transactions.mark() }

    /// Discards a recorded state, and preserves the changes since then.
    package final func release(_ marks: TransactionMarks) throws {
        for (transaction, mark) in marks.marks { try transaction.release(mark) }
        transactions.leave(marks)
    }

    /// Undoes everything that was written in transactions since a state was recorded.
    ///
    /// - Parameter restoring: See ``undoTransactions(restoring:)``.
    package final func undoTransactions(to marks: TransactionMarks, restoring: () -> Void) throws {
        transactions.leave(marks)
        transactions.forgetAnnouncements(since: marks)
        let isUndoing = !transactions.isEmpty
        defer {
            restoring()
            if isUndoing { refreshUnchanged { _ in true } }
        }
        for (transaction, mark) in marks.marks { try transaction.undo(to: mark) }
        let noted = marks.marks.map { ObjectIdentifier($0.transaction) }
        // A transaction that was started since then has no other content. It ends, unless it holds the earlier
        // snapshot.
        for transaction in transactions.all where !noted.contains(ObjectIdentifier(transaction)) {
            if try transaction.undoToSnapshot() { continue }
            transactions.remove(transaction)
            transaction.end()
        }
    }

    /// Causes objects without unsaved changes to be read again when they are next used, because their rows may have
    /// changed.
    ///
    /// - Parameter isConcerned: Whether the objects of an entity, identified by its number, can be affected.
    package final func refreshUnchanged(_ isConcerned: (Int) -> Bool = { _ in true }) {
        forgetReadAhead()
        for object in identities.objects where !object.hasChanges && !object.objectID.isTemporaryID {
            guard isConcerned(object.compiledEntity.number), object.status.isDisjoint(with: [.gone]) else { continue }
            refreshObject(object, mergeChanges: false)
        }
    }
}
