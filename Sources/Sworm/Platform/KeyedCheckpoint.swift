#if canImport(CoreData)
import CoreData
import Foundation

/// The unsaved state of a context, recorded and restored through key-value coding, because Core Data has no savepoints.
struct KeyedCheckpoint {
    private struct State {
        let object: NSManagedObject
        /// All properties of an inserted object, or the changed properties of an updated one; `NSNull` for nil.
        let values: [String: Any]
    }

    private let inserted: [State]
    private let updated: [State]
    private let deleted: Set<NSManagedObject>

    init(_ context: NSManagedObjectContext) {
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
        deleted = context.deletedObjects
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

    func restore(_ context: NSManagedObjectContext) {
        context.processPendingChanges()
        let known = Set(inserted.map(\.object))
        for object in context.deletedObjects where !deleted.contains(object) { context.insert(object) }
        for object in context.insertedObjects where !known.contains(object) { context.delete(object) }
        for object in context.updatedObjects { context.refresh(object, mergeChanges: false) }
        for state in inserted where state.object.managedObjectContext == nil { context.insert(state.object) }
        for state in inserted + updated {
            for (name, value) in state.values { state.object.setValue(value is NSNull ? nil : value, forKey: name) }
        }
        context.processPendingChanges()
    }
}
#endif
