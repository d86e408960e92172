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
        deletedBefore = context.unsavedDeletions
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
        var touched = context.insertedObjects.union(context.updatedObjects).union(context.unsavedDeletions)
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
        if edit.isDeletion {
            for (name, relationship) in object.entity.relationshipsByName
            where relationship.isToMany && !object.isInverseOfToOne(name) {
                edit.stored[name] = object.storedMembers(name)
            }
        }
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
#endif
