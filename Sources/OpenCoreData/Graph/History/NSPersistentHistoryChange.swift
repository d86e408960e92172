public import Foundation
import SwormStore

/// One object that a transaction of the history has inserted, updated or deleted.
open class NSPersistentHistoryChange: NSObject, NSCopying {
    private let stored: StoredChange
    private let source: StoredTransaction
    private let origin: ObjectOrigin

    init(_ stored: StoredChange, of transaction: StoredTransaction, origin: ObjectOrigin) {
        self.stored = stored
        source = transaction
        self.origin = origin
        super.init()
    }

    /// The number of the change in its store.
    public final var changeID: Int64 { stored.number }

    /// The id of the object.
    public final var changedObjectID: NSManagedObjectID { origin.id(of: stored.row) }

    /// What happened to the object.
    public final var changeType: NSPersistentHistoryChangeType { stored.type }

    /// The values of a deleted object that the model preserves, by the names of their attributes.
    ///
    /// Nil for other changes and where nothing was preserved. A value that does not fit its attribute is left out.
    public final var tombstone: [AnyHashable: Any]? {
        guard stored.type == .delete else { return nil }
        let attributes = origin.compiled[stored.row.entity].attributes
        var values: [AnyHashable: Any] = [:]
        for (slot, value) in stored.tombstone {
            if let object = value.object(as: attributes[slot].type) { values[attributes[slot].name] = object }
        }
        return values.isEmpty ? nil : values
    }

    /// The transaction.
    public final var transaction: NSPersistentHistoryTransaction? {
        NSPersistentHistoryTransaction(source, origin: origin, includesChanges: true)
    }

    /// The properties that an update has changed, relationships included.
    ///
    /// Nil for other changes, and where they are not known. A store records them as a string of bits, and which bit stands
    /// for which property was found by looking at stores: one bit each in the order of the names, behind one of unknown
    /// meaning. What this engine has written is read back as it was. Of what Core Data has written, a record that does not
    /// fit this (another length, the unknown bit, a property that is not stored) gives nil.
    public final var updatedProperties: Set<NSPropertyDescription>? {
        guard stored.type == .update, let names = stored.properties else { return nil }
        let properties = origin.description(of: origin.compiled[stored.row.entity]).propertiesByName
        return Set(names.compactMap { properties[$0] })
    }

    /// Returns the change itself: it never changes.
    public final func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another change is the same one of the same store.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryChange else { return false }
        return stored.number == other.stored.number && origin.storeIdentifier == other.origin.storeIdentifier
    }

    /// A hash of the number.
    open override var hash: Int { Int(truncatingIfNeeded: stored.number) }

    /// The kind of change and the object.
    open override var description: String {
        "<NSPersistentHistoryChange \(stored.number): \(stored.type) of \(changedObjectID)>"
    }
}
