import SwormStore

/// The transactions that a context has open, one a store.
struct OpenTransactions {
    /// Whether a write begins a transaction that stays open until it is committed; otherwise it is committed at once.
    var areKept = false
    /// The number of noted states that the context may still be taken back to.
    var depth = 0
    private var open: [(origin: ObjectOrigin, transaction: any StoreTransaction)] = []
    /// What is told of saves when they are committed.
    private var announcements: [() -> Void] = []

    var isEmpty: Bool { open.isEmpty }
    /// Whether nothing is open, and nobody waits for a commit.
    var areOver: Bool { open.isEmpty && announcements.isEmpty }
    var announcementCount: Int { announcements.count }
    var all: [any StoreTransaction] { open.map(\.transaction) }

    // There is hardly ever more than one.
    subscript(origin: ObjectOrigin) -> (any StoreTransaction)? { open.first { $0.origin === origin }?.transaction }

    mutating func add(_ transaction: any StoreTransaction, _ origin: ObjectOrigin) {
        open.append((origin, transaction))
    }

    mutating func remove(_ transaction: any StoreTransaction) { open.removeAll { $0.transaction === transaction } }

    /// Calls a closure after the commit of what is open.
    mutating func announce(_ announcement: @escaping () -> Void) { announcements.append(announcement) }

    /// Forgets the announcements of saves that were undone.
    mutating func forgetAnnouncements(after count: Int) {
        announcements.removeSubrange(min(count, announcements.count)...)
    }

    /// Forgets everything that is open, and hands it over.
    mutating func takeAll() -> (transactions: [any StoreTransaction], announcements: [() -> Void]) {
        defer { (open, announcements) = ([], []) }
        return (all, announcements)
    }
}

/// A moment of a context's transactions, to which they can be taken back.
package struct TransactionMarks {
    fileprivate var marks: [(transaction: any StoreTransaction, mark: Int)] = []
    /// The number of states that had been noted before.
    fileprivate var depth = 0
    /// The number of saves whose announcements waited for a commit.
    fileprivate var announcements = 0
}

// A context that works in one transaction reads what it has written there, and others see nothing of it before the commit.
extension NSManagedObjectContext {
    /// Lets what is written from now on wait in a transaction for ``commitTransactions()``. It begins with the first write
    /// past the context's objects; a context that writes objects alone needs none.
    package final func keepTransactions(_ areKept: Bool) { transactions.areKept = areKept }

    /// Calls a closure with a transaction of a store: the one that is open, or a new one. That stays open or is committed,
    /// as the context was told.
    final func withTransaction<Output>(
        _ origin: ObjectOrigin, _ body: (any StoreTransaction) throws -> Output
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
        // A pinned view would keep the transaction from seeing, or waiting for, anything newer.
        endPinnedViews()
        let transaction = try store.beginTransaction(interruption.token)
        defer { transaction.end() }
        let output = try body(transaction)
        try transaction.commit()
        return output
    }

    /// Begins a transaction of a store that stays open: from the snapshot that the context has read there, or else at once.
    ///
    /// - Throws: A conflict where something else was committed since that snapshot. The context goes on reading it then.
    private func keepTransaction(
        of store: any ObjectStore, _ origin: ObjectOrigin
    ) throws -> any StoreTransaction {
        let transaction: any StoreTransaction
        if let session = pinned.session(of: store) {
            transaction = try store.beginTransaction(from: session, interruption.token)
            interruption.leave(session)
            pinned.forget(session)
            transactions.add(transaction, origin)
            // Values that were read before must not change when a part of the work is undone in which the writing began.
            if transactions.depth > 0 { try transaction.keepSnapshot() }
        } else {
            transaction = try store.beginTransaction(interruption.token)
            transactions.add(transaction, origin)
        }
        try interruption.enter(transaction)
        return transaction
    }

    /// Begins the transaction of a bulk write that is done with objects, as one that is done by statements begins it: from the
    /// snapshot that was read. It stays open; nothing begins in a context whose writes are committed at once.
    ///
    /// - Parameter number: The entity whose objects are written.
    /// - Throws: A conflict where something else was committed since the snapshot. The context goes on reading it then.
    package final func beginBulkWrite(of number: Int) throws {
        guard transactions.areKept else { return }
        for origin in try requireCoordinator().origins(of: number)
        where origin.store?.objectStore.readOnlyReason == nil {
            try withTransaction(origin) { _ in }
        }
    }

    /// Begins a transaction of the context's only store that holds the write lock from now on, and stays open until it is
    /// committed or undone.
    ///
    /// - Throws: An error where the context has several stores, or one that cannot be written; and the store's error.
    package final func beginWriting() throws {
        let (origin, store) = try onlyStore()
        endPinnedViews()
        transactions.areKept = true
        let transaction = try store.beginTransaction(interruption.token)
        transactions.add(transaction, origin)
        try interruption.enter(transaction)
    }

    /// Throws where ``beginWriting()`` would, whoever holds the write lock.
    package final func checkWriting() throws { _ = try onlyStore() }

    private func onlyStore() throws -> (ObjectOrigin, any ObjectStore) {
        let stores = try requireCoordinator().persistentStores
        guard let origin = stores.first?.origin, let store = origin.store?.objectStore, stores.count == 1 else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "A transaction that holds the write lock from its beginning needs exactly one store; this context has \(stores.count). Write to each store by a context of its own.",
                condition: .unsupported)
        }
        if let reason = store.readOnlyReason {
            throw CoreDataError(NSPersistentStoreSaveError, "Cannot write: \(reason).", condition: .readOnly)
        }
        return (origin, store)
    }

    /// Whether the context has a transaction open, and with it the write lock.
    package final var isWriting: Bool { !transactions.isEmpty }

    /// Writes a save's request: into the transaction that is open, or into one of its own.
    final func write(_ request: SaveRequest, to origin: ObjectOrigin, _ store: any ObjectStore) throws -> SaveResult {
        if let transaction = transactions[origin] { return try transaction.save(request) }
        return try store.save(request, interruption.token)
    }

    /// Begins the transactions of a save that is one of several stores' writes, if these are kept: nothing is committed before
    /// everything is written.
    final func keepTransactions(of origins: [ObjectOrigin]) throws {
        guard transactions.areKept, origins.count > 1 || !transactions.isEmpty else { return }
        // In one order for all, so that two saves do not wait for each other.
        let missing = origins.filter { transactions[$0] == nil }.sorted { $0.storeIdentifier < $1.storeIdentifier }
        guard !missing.isEmpty else { return }
        // Objects are compared row by row, not with the snapshot that was read.
        parkPinnedViews()
        for origin in missing {
            guard let store = origin.store?.objectStore, store.readOnlyReason == nil else { continue }
            _ = try keepTransaction(of: store, origin)
        }
    }

    /// Makes what was written in transactions the state of the stores. A reason to stop that can be known before stops it
    /// before the first commit.
    package final func commitTransactions() throws {
        // An observer of a save may write, too.
        while !transactions.isEmpty {
            let all = transactions.all
            for transaction in all { interruption.leave(transaction) }
            try commit(all[...])
            for announcement in transactions.takeAll().announcements { announcement() }
            forgetReadAhead()
        }
    }

    private func commit(_ transactions: ArraySlice<any StoreTransaction>) throws {
        let further = transactions.dropFirst()
        try transactions.first?.commit(after: further.isEmpty ? nil : { try self.commit(further) })
    }

    /// Undoes what was written in transactions that are open.
    ///
    /// - Parameter restoring: Takes back the unsaved changes of the context's objects. It is called once the transactions
    ///   are undone; all objects without unsaved changes after it are read anew when they are next used, as they may have
    ///   been read from rows that were undone.
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

    /// Notes the present state of the transactions.
    package final func markTransactions() -> TransactionMarks {
        let marks = transactions.all.map { ($0, $0.mark()) }
        defer { transactions.depth += 1 }
        return TransactionMarks(
            marks: marks, depth: transactions.depth, announcements: transactions.announcementCount)
    }

    /// Forgets a state that was noted, and goes on.
    package final func release(_ marks: TransactionMarks) throws {
        for (transaction, mark) in marks.marks { try transaction.release(mark) }
        transactions.depth = marks.depth
    }

    /// Undoes what was written in transactions since a state was noted.
    ///
    /// - Parameter restoring: As for ``undoTransactions(restoring:)``.
    package final func undoTransactions(to marks: TransactionMarks, restoring: () -> Void) throws {
        transactions.depth = marks.depth
        transactions.forgetAnnouncements(after: marks.announcements)
        let isUndoing = !transactions.isEmpty
        defer {
            restoring()
            if isUndoing { refreshUnchanged { _ in true } }
        }
        for (transaction, mark) in marks.marks { try transaction.undo(to: mark) }
        let noted = marks.marks.map { ObjectIdentifier($0.transaction) }
        // One that was begun since has nothing else in it. It ends, unless it holds the snapshot that was read before.
        for transaction in transactions.all where !noted.contains(ObjectIdentifier(transaction)) {
            if try transaction.undoToSnapshot() { continue }
            transactions.remove(transaction)
            interruption.leave(transaction)
            transaction.end()
        }
    }

    /// Lets objects without unsaved changes be read anew when they are next used: their rows may have been changed.
    ///
    /// - Parameter isConcerned: Whether the objects of an entity, by its number, can be among them.
    package final func refreshUnchanged(_ isConcerned: (Int) -> Bool = { _ in true }) {
        forgetReadAhead()
        for object in identities.objects where !object.hasChanges && !object.objectID.isTemporaryID {
            guard isConcerned(object.plan.number), object.status.isDisjoint(with: [.gone]) else { continue }
            refresh(object, mergeChanges: false)
        }
    }
}
