import SwormPredicates
import SwormStore

/// The results of a save, by store.
struct SavedObjects {
    struct Part {
        var origin: ObjectOrigin
        /// The new objects.
        var inserted: [NSManagedObject]
        /// The permanent keys of objects that had temporary keys.
        var keys: AssignedKeys
        /// The other objects whose rows were written, and the new versions of the rows.
        var written: [NSManagedObject]
        var versions: [Int64]
        /// The values that the store has computed, by row and attribute slot.
        var derived: [RowID: [Int: AttributeValue]]
    }

    private(set) var parts: [Part] = []
    /// The numbers of the transactions that were added to the histories of stores, by identifier.
    private(set) var transactions: [String: Int64] = [:]
    private(set) var orderKeys: [ObjectIdentifier: [Int: [ObjectIdentifier: Int64]]] = [:]
    private var versions: [ObjectIdentifier: Int64] = [:]
    /// The ordered relationships whose members have a different order in the store than in the context.
    private var rearranged: [ObjectIdentifier: Set<Int>] = [:]

    mutating func add(_ builder: SaveRequestBuilder, result: SaveResult, origin: ObjectOrigin) {
        for object in result.renewedVersions.isEmpty ? [] : builder.inserted {
            versions[ObjectIdentifier(object)] = result.renewedVersions[object.objectID.row]
        }
        if !result.rearranged.isEmpty {
            let objects = builder.objects
            for (owner, slot) in result.rearranged {
                if let object = objects[owner] { rearranged[ObjectIdentifier(object), default: []].insert(slot) }
            }
        }
        if let number = result.historyNumber { transactions[origin.storeIdentifier] = number }
        parts.append(
            Part(
                origin: origin, inserted: builder.inserted, keys: result.keys, written: builder.written,
                versions: result.updatedVersions, derived: result.derived))
        orderKeys.merge(builder.orderKeys) { $1 }
    }

    /// Adds the changed objects of a context that has saved to its parent.
    ///
    /// - Parameter ordered: The objects and the slots of their ordered relationships with changes.
    mutating func add(
        written: [NSManagedObject], versions: [Int64], ordered: [(object: NSManagedObject, slot: Int)],
        origin: ObjectOrigin
    ) {
        // The parent has given their members positions, which are read again.
        for (object, slot) in ordered { rearranged[ObjectIdentifier(object), default: []].insert(slot) }
        parts.append(
            Part(
                origin: origin, inserted: [], keys: SaveResult().keys, written: written, versions: versions,
                derived: [:]))
    }

    func contains(_ origin: ObjectOrigin) -> Bool { parts.contains { $0.origin === origin } }

    /// Returns the version of a row that a save inserted again, or nil for other objects.
    func version(of object: NSManagedObject) -> Int64? {
        versions.isEmpty ? nil : versions[ObjectIdentifier(object)]
    }

    /// Returns whether the members of an ordered relationship must be read again.
    func isRearranged(_ object: NSManagedObject, slot: Int) -> Bool {
        rearranged.isEmpty ? false : rearranged[ObjectIdentifier(object)]?.contains(slot) ?? false
    }
}
