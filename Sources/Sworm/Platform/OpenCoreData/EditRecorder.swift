#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormStore

/// The value of an attribute.
typealias EditedValue = AttributeValue

/// A recorder of what one edit changes in a context. The objects of the context report their changes to it.
struct EditRecorder {
    private let recorder = ChangeRecorder()
    private let context: NSManagedObjectContext

    /// Starts to record.
    init(_ context: NSManagedObjectContext) {
        self.context = context
        context.recorder = recorder
    }

    /// Returns what was recorded so far, as a mark for ``forget(since:)``.
    func mark() -> ChangeRecorder.Mark { recorder.mark() }

    /// Forgets what was recorded since a mark, because the context has been restored to its state at that time.
    func forget(since mark: ChangeRecorder.Mark) { recorder.forget(since: mark) }

    /// Stops recording, and discards what was recorded.
    func cancel() { context.recorder = nil }

    /// Stops recording, and returns what has changed.
    ///
    /// - Throws: The store's error if a property of an inserted object cannot be read.
    func end() throws -> [ObjectEdit] {
        context.recorder = nil
        return try recorder.records.map(edit).filter { !$0.isEmpty }
    }

    private func edit(_ record: ChangeRecorder.Record) throws -> ObjectEdit {
        let object = record.object
        let isPresent = object.isPresent
        var edit = ObjectEdit(object: object, wasPresent: record.wasPresent, isPresent: isPresent)
        guard isPresent || edit.wasPresent else { return edit }
        if edit.isInsertion {
            try addPresentState(of: object, to: &edit)
            return edit
        }
        for (slot, old) in record.values {
            let new = isPresent ? try object.readAttribute(slot) : .null
            if !isPresent || !old.isStoredSame(as: new) {
                edit.values[object.attributeName(slot)] = .init(old: old, new: new)
            }
        }
        for (slot, old) in record.destinations {
            let new = isPresent ? object.destination(slot) : nil
            if !isPresent || old !== new {
                edit.destinations[object.relationshipName(slot)] = .init(old: old, new: new)
            }
        }
        for slot in record.linkSlots {
            let name = object.relationshipName(slot)
            let (added, removed, passing) = record.links(slot)
            let stored = isPresent || passing.isEmpty ? [] : object.storedMembers(name)
            let links = ObjectEdit.LinkChange(
                added: added, removed: removed, passing: passing.filter { stored.contains($0) })
            if !links.isEmpty { edit.links[name] = links }
        }
        for (slot, old) in record.lists {
            let new = isPresent ? try object.readMemberObjects(slot) : []
            if !isPresent || !old.elementsEqual(new, by: ===) {
                edit.lists[object.relationshipName(slot)] = .init(old: old, new: new)
            }
        }
        return edit
    }

    private func addPresentState(of object: NSManagedObject, to edit: inout ObjectEdit) throws {
        for slot in object.settableSlots {
            edit.values[object.attributeName(slot)] = .init(old: .null, new: try object.readAttribute(slot))
        }
        for (name, relationship) in object.entity.relationshipsByName {
            if !relationship.isToMany {
                edit.destinations[name] = .init(old: nil, new: try object.editedDestination(name))
            } else if relationship.isOrdered {
                edit.lists[name] = .init(old: [], new: try object.editedMembers(name))
            } else {
                edit.members[name] = try object.editedMembers(name)
            }
        }
    }
}

// Properties by name, for the reversal of edits.
extension NSManagedObject {
    /// Whether the object exists for its context.
    var isEditable: Bool { isPresent }

    private func attributeSlot(_ name: String) throws -> Int {
        guard case .attribute(let slot) = propertySlot(named: name) else {
            throw StoreError.unknownName(
                name, kind: "attribute", of: entity.stableName, among: Array(entity.attributesByName.keys))
        }
        return slot
    }

    private func relationshipSlot(_ name: String) throws -> Int {
        guard case .relationship(let slot) = propertySlot(named: name) else {
            throw StoreError.unknownName(
                name, kind: "relation", of: entity.stableName, among: Array(entity.relationshipsByName.keys))
        }
        return slot
    }

    /// The values that the attributes have in the store.
    var storedValues: [String: EditedValue] {
        Dictionary(
            settableSlots.map { (attributeName($0), storedAttribute($0)) }, uniquingKeysWith: { first, _ in first })
    }

    func editedValue(_ name: String) throws -> EditedValue { try readAttribute(attributeSlot(name)) }

    func setEditedValue(_ value: EditedValue, for name: String) throws {
        try setAttribute(attributeSlot(name), to: value)
    }

    func editedDestination(_ name: String) throws -> NSManagedObject? {
        try load()
        return destination(try relationshipSlot(name))
    }

    func setEditedDestination(_ destination: NSManagedObject?, for name: String) throws {
        try setDestination(relationshipSlot(name), to: destination)
    }

    func editedMembers(_ name: String) throws -> [NSManagedObject] { try readMemberObjects(relationshipSlot(name)) }

    func setEditedMembers(_ members: [NSManagedObject], for name: String) throws {
        try setMembers(relationshipSlot(name), to: members)
    }

    func addEditedMember(_ member: NSManagedObject, for name: String) throws {
        try addMember(relationshipSlot(name), object: member)
    }

    func removeEditedMember(_ member: NSManagedObject, for name: String) throws {
        try removeMember(relationshipSlot(name), object: member)
    }
}

extension NSManagedObjectContext {
    /// Whether an object can be inserted again under its old key after its deletion was saved.
    static var revivesSavedDeletions: Bool { true }

    /// Returns whether a deleted object can be inserted again, which is always the case.
    func canRevive(_ object: NSManagedObject) -> Bool { true }

    /// Inserts a deleted object again.
    func reviveDeleted(_ object: NSManagedObject) throws { try revive(object) }
}
#endif
