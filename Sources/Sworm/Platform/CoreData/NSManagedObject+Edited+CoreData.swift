#if canImport(CoreData)
import CoreData
import Foundation

// Properties by name, for the reversal of edits.
extension NSManagedObject {
    /// Whether the object exists for its context.
    var isEditable: Bool { managedObjectContext != nil && !isDeleted }

    /// Whether the object has never been saved.
    var isNewcomer: Bool { isInserted || objectID.isTemporaryID }

    /// The names of the properties that can be set.
    var editedNames: [String] {
        entity.propertiesByName.compactMap { name, property in
            property is NSDerivedAttributeDescription || property is NSFetchedPropertyDescription ? nil : name
        }
    }

    func keyedProperties(_ names: some Sequence<String>) -> [String: Any] {
        var values: [String: Any] = [:]
        for name in names { values[name] = Self.copy(value(forKey: name)) }
        return values
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

    static func members(ofKeyed value: Any?) -> [NSManagedObject] {
        switch value {
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        default: []
        }
    }

    /// The values that the attributes have in the store.
    var storedValues: [String: EditedValue] {
        let names = entity.attributesByName.filter { !($0.value is NSDerivedAttributeDescription) }.map(\.key)
        return committedValues(forKeys: names).mapValues { EditedValue(value: $0 is NSNull ? nil : $0) }
    }

    func editedValue(_ name: String) throws -> EditedValue { EditedValue(value: value(forKey: name)) }

    func setEditedValue(_ value: EditedValue, for name: String) throws { setValue(value.value, forKey: name) }

    func editedDestination(_ name: String) throws -> NSManagedObject? { value(forKey: name) as? NSManagedObject }

    func setEditedDestination(_ destination: NSManagedObject?, for name: String) throws {
        setValue(destination, forKey: name)
    }

    func editedMembers(_ name: String) throws -> [NSManagedObject] { Self.members(ofKeyed: value(forKey: name)) }

    func setEditedMembers(_ members: [NSManagedObject], for name: String) throws {
        let isOrdered = entity.relationshipsByName[name]?.isOrdered ?? false
        setValue(isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: name)
    }

    func addEditedMember(_ member: NSManagedObject, for name: String) throws {
        let members = try editedMembers(name)
        if !members.contains(member) { try setEditedMembers(members + [member], for: name) }
    }

    func removeEditedMember(_ member: NSManagedObject, for name: String) throws {
        try setEditedMembers(try editedMembers(name).filter { $0 != member }, for: name)
    }
}

extension NSManagedObjectContext {
    /// Whether an object can be inserted again under its old key after its deletion was saved. Core Data chooses the
    /// keys of new objects itself.
    static var revivesSavedDeletions: Bool { false }

    /// Returns whether a deleted object can be inserted again: it was never saved, or its deletion was not saved, neither
    /// by this context nor elsewhere.
    func canRevive(_ object: NSManagedObject) -> Bool {
        object.objectID.isTemporaryID || object.managedObjectContext === self && object.isDeleted
    }

    /// Inserts a deleted object again whose deletion was not saved.
    func reviveDeleted(_ object: NSManagedObject) throws {
        insert(object)
        processPendingChanges()
    }

    /// Returns those of some objects whose rows exist in the store.
    func withRows(_ objects: [NSManagedObject]) throws -> Set<NSManagedObject> {
        var found: Set<NSManagedObjectID> = []
        for (root, group) in Dictionary(grouping: objects, by: \.entity.root) {
            // SQLite limits the number of arguments of a statement.
            for start in stride(from: 0, to: group.count, by: 500) {
                let request = NSFetchRequest<NSManagedObjectID>(entityName: root.stableName)
                request.resultType = .managedObjectIDResultType
                request.includesPendingChanges = false
                let part = Array(group[start..<min(start + 500, group.count)])
                request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [part])
                found.formUnion(try fetch(request))
            }
        }
        return Set(objects.filter { found.contains($0.objectID) })
    }

    /// Does nothing: Core Data keeps no rows for handles.
    func forgetRows() {}
}
#endif
