public import Foundation
import SwormStore

/// The insertion, update or deletion of one object in a transaction of the history.
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

    /// The kind of change.
    public final var changeType: NSPersistentHistoryChangeType { stored.type }

    /// The values of a deleted object that the model preserves, keyed by the names of their attributes.
    ///
    /// Nil for other changes, and if no values were preserved. A value that does not match its attribute is left out.
    public final var tombstone: [AnyHashable: Any]? {
        guard stored.type == .delete else { return nil }
        let attributes = origin.compiled[stored.row.entity].attributes
        var values: [AnyHashable: Any] = [:]
        for (slot, value) in stored.tombstone {
            if let object = value.object(as: attributes[slot].type) { values[attributes[slot].name] = object }
        }
        return values.isEmpty ? nil : values
    }

    /// The transaction of the change.
    public final var transaction: NSPersistentHistoryTransaction? {
        NSPersistentHistoryTransaction(source, origin: origin, includesChanges: true)
    }

    /// The properties that an update changed, including relationships.
    ///
    /// Nil for other changes, and if the properties are not known. A store records them as a string of bits. The
    /// meaning of the bits was found by inspecting stores: one bit for each property in the order of the names, after
    /// one bit of unknown meaning. Records of this engine are read back exactly. For records of Core Data, the value is
    /// nil if the record does not have this form (another length, the unknown bit, a property that is not stored).
    public final var updatedProperties: Set<NSPropertyDescription>? {
        guard stored.type == .update, let names = stored.properties else { return nil }
        let properties = origin.description(of: origin.compiled[stored.row.entity]).propertiesByName
        return Set(names.compactMap { properties[$0] })
    }

    /// Returns the change itself, because it is immutable.
    public final func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether another object is the same change of the same store.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryChange else { return false }
        return stored.number == other.stored.number && origin.storeIdentifier == other.origin.storeIdentifier
    }

    /// A hash of the number.
    open override var hash: Int { Int(truncatingIfNeeded: stored.number) }

    /// A description with the kind of change and the object.
    open override var description: String {
        "<NSPersistentHistoryChange \(stored.number): \(stored.type) of \(changedObjectID)>"
    }
}
