public import Foundation
import SwormStore

/// One save that is recorded in the history of a store.
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
    let stored: StoredTransaction
    let origin: ObjectOrigin
    let includesChanges: Bool

    init(_ stored: StoredTransaction, origin: ObjectOrigin, includesChanges: Bool) {
        self.stored = stored
        self.origin = origin
        self.includesChanges = includesChanges
        super.init()
    }

    /// The date of the save. The reference date of `Date` if the store has no date for it.
    public final var timestamp: Date { stored.timestamp }

    /// The changes, in the order in which they were recorded; nil if the request fetched transactions only.
    public final var changes: [NSPersistentHistoryChange]? {
        guard includesChanges else { return nil }
        return stored.changes.map { NSPersistentHistoryChange($0, of: stored, origin: origin) }
    }

    /// The number of the transaction. Numbers increase with every save and are never reused in their store.
    public final var transactionNumber: Int64 { stored.number }

    /// The identifier of the store.
    public final var storeID: String { origin.storeIdentifier }

    /// The identifier of the bundle that performed the save; empty if the store has none.
    public final var bundleID: String { stored.bundleID ?? "" }

    /// The name of the process that performed the save; empty if the store has none.
    public final var processID: String { stored.processID ?? "" }

    /// The `name` of the context that was saved.
    public final var contextName: String? { stored.contextName }

    /// The `transactionAuthor` of the context that was saved.
    public final var author: String? { stored.author }

    /// The position after this transaction.
    public final var token: NSPersistentHistoryToken {
        NSPersistentHistoryToken([origin.storeIdentifier: stored.number])
    }

    /// Returns the transaction itself, because it is immutable.
    public final func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether another object is the same transaction of the same store.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryTransaction else { return false }
        return stored.number == other.stored.number && origin.storeIdentifier == other.origin.storeIdentifier
    }

    /// A hash of the number.
    open override var hash: Int { Int(truncatingIfNeeded: stored.number) }

    /// A description with the number, the author and the context.
    open override var description: String {
        "<NSPersistentHistoryTransaction \(stored.number) by \(stored.author ?? "no author") in \(stored.contextName ?? "a context without a name")>"
    }
}

extension ObjectOrigin {
    func id(of row: RowID) -> NSManagedObjectID {
        NSManagedObjectID(entity: compiled[row.entity], key: row.key, origin: self)
    }
}
