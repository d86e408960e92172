#if canImport(CoreData)
import CoreData
import Foundation

/// The value of an attribute, in the form of key-value coding.
struct EditedValue {
    let value: Any?

    /// Returns whether two values are the same in a store.
    func isStoredSame(as other: EditedValue) -> Bool {
        switch (value, other.value) {
        case (nil, nil): true
        case (let one as String, let other as String): one.utf8.elementsEqual(other.utf8)
        case (let one as NSObject, let other as NSObject): one.isEqual(other)
        default: false
        }
    }
}

/// A recorder of what one edit changes in a context, over Core Data's public API: it compares the objects with unsaved
/// changes before and after the edit.
///
/// - Complexity: O(*n*) in the number of objects with unsaved changes.
struct EditRecorder {
    private let context: NSManagedObjectContext
    /// The properties of the objects that had unsaved changes before: all of an inserted object, otherwise the changed
    /// ones.
    private let before: [NSManagedObject: [String: Any]]
    private let deletedBefore: Set<NSManagedObject>

    /// Starts to record.
    init(_ context: NSManagedObjectContext) {
        context.processPendingChanges()
        self.context = context
        var before: [NSManagedObject: [String: Any]] = [:]
        for object in context.insertedObjects { before[object] = object.keyedProperties(object.editedNames) }
        for object in context.updatedObjects where before[object] == nil {
            before[object] = object.keyedProperties(object.changedValues().keys)
        }
        self.before = before
        deletedBefore = context.deletedObjects
    }

    /// A moment of the recording.
    struct Mark {}

    /// Nothing has to be marked: the changes are determined at the end.
    func mark() -> Mark { Mark() }
    func forget(since mark: Mark) {}

    /// Stops recording, and discards what was recorded.
    func cancel() {}

    /// Stops recording, and returns what has changed.
    func end() throws -> [ObjectEdit] {
        context.processPendingChanges()
        var touched = context.insertedObjects.union(context.updatedObjects).union(context.deletedObjects)
        touched.formUnion(before.keys)
        touched.formUnion(deletedBefore)
        return touched.map(edit).filter { !$0.isEmpty }
    }

    private func edit(_ object: NSManagedObject) -> ObjectEdit {
        let known = before[object]
        let isPresent = object.isEditable
        let wasPresent = !deletedBefore.contains(object) && (known != nil || !object.isNewcomer)
        var edit = ObjectEdit(object: object, wasPresent: wasPresent, isPresent: isPresent)
        guard wasPresent || isPresent else { return edit }
        let names =
            wasPresent && isPresent
            ? Set(object.changedValues().keys).union((known ?? [:]).keys) : Set(object.editedNames)
        let unknown = wasPresent ? names.filter { known?[$0] == nil } : []
        let committed = unknown.isEmpty ? [:] : object.committedValues(forKeys: Array(unknown))
        for name in names {
            let old = wasPresent ? known?[name] ?? committed[name] : nil
            let new = isPresent ? object.value(forKey: name) : nil
            add(name, from: old is NSNull ? nil : old, to: new, in: &edit)
        }
        return edit
    }

    private func add(_ name: String, from old: Any?, to new: Any?, in edit: inout ObjectEdit) {
        let isWhole = edit.wasPresent != edit.isPresent
        guard let relationship = edit.object.entity.relationshipsByName[name] else {
            let change = ObjectEdit.ValueChange(old: EditedValue(value: old), new: EditedValue(value: new))
            if isWhole || !change.old.isStoredSame(as: change.new) { edit.values[name] = change }
            return
        }
        if !relationship.isToMany {
            let change = ObjectEdit.DestinationChange(old: old as? NSManagedObject, new: new as? NSManagedObject)
            if isWhole || change.old !== change.new { edit.destinations[name] = change }
            return
        }
        let (old, new) = (NSManagedObject.members(ofKeyed: old), NSManagedObject.members(ofKeyed: new))
        if relationship.isOrdered {
            if isWhole || old != new { edit.lists[name] = .init(old: old, new: new) }
        } else {
            if edit.isInsertion { edit.members[name] = new }
            guard relationship.inverseRelationship?.isToMany ?? true else { return }
            let (was, isNow) = (Set(old), Set(new))
            guard was != isNow, edit.wasPresent else { return }
            edit.links[name] = .init(added: Array(isNow.subtracting(was)), removed: Array(was.subtracting(isNow)))
        }
    }
}

// Properties by name, for the reversal of edits.
extension NSManagedObject {
    /// Whether the object exists for its context.
    var isEditable: Bool { managedObjectContext != nil && !isDeleted }

    /// Whether the object has never been saved.
    fileprivate var isNewcomer: Bool { isInserted || objectID.isTemporaryID }

    /// The names of the properties that can be set.
    fileprivate var editedNames: [String] {
        entity.propertiesByName.compactMap { name, property in
            property is NSDerivedAttributeDescription || property is NSFetchedPropertyDescription ? nil : name
        }
    }

    fileprivate func keyedProperties(_ names: some Sequence<String>) -> [String: Any] {
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

    fileprivate static func members(ofKeyed value: Any?) -> [NSManagedObject] {
        switch value {
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
        default: []
        }
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
    /// by this context nor by others.
    func canRevive(_ object: NSManagedObject) -> Bool {
        object.objectID.isTemporaryID || object.managedObjectContext === self && object.isDeleted
    }

    /// Inserts a deleted object again whose deletion was not saved.
    func reviveDeleted(_ object: NSManagedObject) throws {
        insert(object)
        processPendingChanges()
    }

    /// Returns whether the row of an object exists in the store.
    func hasRow(of object: NSManagedObject) throws -> Bool {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: object.entity.stableName)
        request.resultType = .managedObjectIDResultType
        request.includesPendingChanges = false
        request.predicate = NSPredicate(format: "SELF == %@", argumentArray: [object])
        return try !fetch(request).isEmpty
    }

    /// Does nothing: Core Data keeps no rows for handles.
    func forgetRows() {}
}
#endif
