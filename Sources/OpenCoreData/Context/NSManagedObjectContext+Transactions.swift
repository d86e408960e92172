/// The transactions that a context has open, one a store.
struct OpenTransactions {
    /// Whether a write begins a transaction that stays open until it is committed; otherwise it is committed at once.
    var areKept = false
    private var open: [(origin: ObjectOrigin, transaction: any StoreTransaction)] = []
    /// What is told of saves when they are committed.
    private var announcements: [() -> Void] = []

    var isEmpty: Bool { open.isEmpty }
    var all: [any StoreTransaction] { open.map(\.transaction) }

    // There is hardly ever more than one.
    subscript(origin: ObjectOrigin) -> (any StoreTransaction)? { open.first { $0.origin === origin }?.transaction }

    mutating func add(_ transaction: any StoreTransaction, _ origin: ObjectOrigin) {
        open.append((origin, transaction))
    }

    mutating func remove(_ transaction: any StoreTransaction) { open.removeAll { $0.transaction === transaction } }

    /// Calls a closure now, or after the commit of what is open.
    mutating func announce(_ announcement: @escaping () -> Void) {
        if open.isEmpty { announcement() } else { announcements.append(announcement) }
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
            throw CoreDataError(NSPersistentStoreSaveError, "Cannot write: \(reason).")
        }
        if let transaction = transactions[origin] { return try body(transaction) }
        // A pinned view would keep the transaction from seeing, or waiting for, anything newer.
        endPinnedViews()
        let transaction = try store.beginTransaction()
        if transactions.areKept {
            transactions.add(transaction, origin)
            try interruption.enter(transaction)
            return try body(transaction)
        }
        defer { transaction.end() }
        let output = try body(transaction)
        try transaction.commit()
        return output
    }

    /// Writes a save's request: into the transaction that is open, or into one of its own.
    final func write(_ request: SaveRequest, to origin: ObjectOrigin, _ store: any ObjectStore) throws -> SaveResult {
        if let transaction = transactions[origin] { return try transaction.save(request) }
        return try store.save(request)
    }

    /// Makes what was written in transactions the state of the stores.
    package final func commitTransactions() throws {
        guard !transactions.isEmpty else { return }
        for transaction in transactions.all {
            interruption.leave(transaction)
            try transaction.commit()
        }
        for announcement in transactions.takeAll().announcements { announcement() }
        forgetReadAhead()
    }

    /// Undoes what was written in transactions that are open. Unchanged objects are read anew when they are next used.
    package final func undoTransactions() {
        guard !transactions.isEmpty else { return }
        for transaction in transactions.takeAll().transactions {
            interruption.leave(transaction)
            transaction.end()
        }
        refreshUnchanged { _ in true }
    }

    // MARK: Parts of a transaction

    /// Notes the present state of the transactions.
    package final func markTransactions() throws -> TransactionMarks {
        TransactionMarks(marks: try transactions.all.map { ($0, try $0.mark()) })
    }

    /// Forgets a state that was noted, and goes on.
    package final func release(_ marks: TransactionMarks) throws {
        for (transaction, mark) in marks.marks { try transaction.release(mark) }
    }

    /// Undoes what was written in transactions since a state was noted.
    package final func undoTransactions(to marks: TransactionMarks) throws {
        guard !transactions.isEmpty else { return }
        // One that was begun since has nothing else in it.
        guard !marks.marks.isEmpty else { return undoTransactions() }
        for (transaction, mark) in marks.marks { try transaction.undo(to: mark) }
        let noted = marks.marks.map { ObjectIdentifier($0.transaction) }
        for transaction in transactions.all where !noted.contains(ObjectIdentifier(transaction)) {
            transactions.remove(transaction)
            interruption.leave(transaction)
            transaction.end()
        }
        refreshUnchanged { _ in true }
    }

    /// Lets objects without unsaved changes be read anew when they are next used: statements have changed their rows.
    ///
    /// - Parameter isConcerned: Whether the objects of an entity, by its number, can be among them.
    final func refreshUnchanged(_ isConcerned: (Int) -> Bool) {
        forgetReadAhead()
        for object in identities.objects where !object.hasChanges && !object.objectID.isTemporaryID {
            guard isConcerned(object.plan.number), object.status.isDisjoint(with: [.gone]) else { continue }
            refresh(object, mergeChanges: false)
        }
    }
}
