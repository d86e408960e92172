#if canImport(CoreData)
import CoreData
import Foundation

/// The unsaved state of a context.
typealias Checkpoint = KeyedCheckpoint

/// The unsaved state of a context, recorded and restored through key-value coding, because Core Data has no savepoints.
struct KeyedCheckpoint {
    fileprivate struct State {
        let object: NSManagedObject
        /// All properties of an inserted object, or the changed properties of an updated one; `NSNull` for nil.
        let values: [String: Any]
    }

    fileprivate let inserted: [State]
    fileprivate let updated: [State]
    fileprivate let deleted: Set<NSManagedObject>

    init(of context: NSManagedObjectContext) {
        context.processPendingChanges()
        inserted = context.insertedObjects.map { object in
            let names = object.entity.propertiesByName.keys
            var values: [String: Any] = [:]
            for name in names { values[name] = KeyedCheckpoint.copy(object.value(forKey: name)) }
            return State(object: object, values: values)
        }
        updated = context.updatedObjects.map { object in
            State(object: object, values: object.changedValues().mapValues { KeyedCheckpoint.copy($0) })
        }
        deleted = context.unsavedDeletions
    }

    /// Returns a copy of a value. The sets of relationships change together with the relationship; a copy does not.
    private static func copy(_ value: Any?) -> Any {
        switch value {
        case nil: NSNull()
        case let ordered as NSOrderedSet: NSOrderedSet(array: ordered.array)
        case let set as NSSet: NSSet(array: set.allObjects)
        default: value ?? NSNull()
        }
    }
}

extension NSManagedObjectContext {
    /// Restores the unsaved state of the context.
    func restore(_ checkpoint: KeyedCheckpoint) {
        processPendingChanges()
        let known = Set(checkpoint.inserted.map(\.object))
        for object in insertedObjects where !known.contains(object) { delete(object) }
        // Their relations may have deleted further objects.
        processPendingChanges()
        for object in unsavedDeletions where !checkpoint.deleted.contains(object) { insert(object) }
        // The inserted objects leave the relations of other objects, which are about to lose their side of the links.
        for state in checkpoint.inserted where state.object.managedObjectContext === self {
            for (name, relationship) in state.object.entity.relationshipsByName {
                let none: Any? = relationship.isToMany ? relationship.isOrdered ? NSOrderedSet() : NSSet() : nil
                state.object.setValue(none, forKey: name)
            }
        }
        for object in updatedObjects { refresh(object, mergeChanges: false) }
        for state in checkpoint.inserted where state.object.managedObjectContext == nil { insert(state.object) }
        for state in checkpoint.inserted + checkpoint.updated {
            for (name, value) in state.values { state.object.setValue(value is NSNull ? nil : value, forKey: name) }
        }
        processPendingChanges()
    }
}
#endif
