import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Adopts the values that the store has computed during a save.
    ///
    /// - Parameter written: The objects that the save has written, and that are known to have changed.
    /// - Returns: The ids of the other objects whose values have changed.
    final func takeDerived(_ saved: SavedObjects, besides written: @autoclosure () -> [NSManagedObject])
        -> [NSManagedObjectID]
    {
        guard saved.parts.contains(where: { !$0.derived.isEmpty }) else { return [] }
        let known = Set(written().map { ObjectIdentifier($0) })
        var refreshed: [NSManagedObjectID] = []
        for part in saved.parts {
            for (row, values) in part.derived {
                guard let object = identities[identityKey(of: row, in: part.origin)] else {
                    let entity = part.origin.compiled[row.entity]
                    refreshed.append(NSManagedObjectID(entity: entity, key: row.key, origin: part.origin))
                    continue
                }
                if !known.contains(ObjectIdentifier(object)) { refreshed.append(object.objectID) }
                object.take(derived: values)
            }
        }
        return refreshed
    }
}

extension NSManagedObject {
    fileprivate final func take(derived values: [Int: AttributeValue]) {
        switch snapshot {
        case .values(var committed):
            for (slot, value) in values where committed.attributes.indices.contains(slot) {
                committed.attributes[slot] = value
            }
            snapshot = .values(committed)
        // The rows of a fetch are shared and must not change, so the object reads its own row again.
        case .row where !hasChanges, .patched where !hasChanges:
            snapshot = .fault(nil)
            // By then, the relationships of the row may have other destinations.
            forgetReadRelationships()
        case .row, .patched, .fault, .none: break
        }
    }
}
