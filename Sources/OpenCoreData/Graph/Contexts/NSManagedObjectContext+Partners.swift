import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Returns whether an object exists and can be changed. The stored state of the object is read again, unless it was
    /// already compared with the store because the save writes the row.
    final func isAtHand(_ object: NSManagedObject) throws -> Bool {
        if object.status.contains(.inserted) { return true }
        if !object.status.isDisjoint(with: [.deleted, .gone]) { return false }
        if object.hasChanges {
            guard !object.changesRow else { return true }
            guard let fresh = try readRow(of: object, hint: nil) else { return false }
            object.replaceSnapshot(fresh)
            object.forgetReadRelationships()
            return true
        }
        refresh(object, mergeChanges: false)
        do {
            try object.load()
            return true
        } catch let error as CoreDataError where error.errorCode == NSManagedObjectReferentialIntegrityError {
            return false
        }
    }
}

extension NSManagedObject {
    /// Whether there are unsaved changes that are stored in the object's own row.
    fileprivate final var changesRow: Bool {
        var found = false
        changedAttributes.forEach { _ in found = true }
        changedRelationships.forEach { if !compiledEntity.relationships[$0].isToMany { found = true } }
        return found
    }
}

extension CoreDataError {
    static func changedLinks(
        _ links: [(conflict: LinkConflicts.Conflict, from: NSManagedObject, to: NSManagedObject)],
        members: [(slot: Int, owner: NSManagedObject, member: NSManagedObject)]
    ) -> CoreDataError {
        var details = links.map { conflict, object, destination in
            let relationships = object.compiledEntity.relationships
            let name =
                relationships.indices.contains(conflict.relationship)
                ? relationships[conflict.relationship].name : "a relationship"
            let reason =
                conflict.isDeletion
                ? "cannot be deleted: since it was read, \(object.compiledEntity.name) \(object.objectID) was given it as its '\(name)'"
                : "does not lead back to \(object.compiledEntity.name) \(object.objectID), whose '\(name)' it is: one of them was changed in the store since it was read"
            return CoreDataError(
                NSManagedObjectMergeError, "\(destination.compiledEntity.name) \(destination.objectID) \(reason).",
                entity: object.compiledEntity.name, key: name,
                objects: [object.objectID.reference, destination.objectID.reference])
        }
        details += members.map { slot, owner, member in
            let name = owner.compiledEntity.relationships[slot].name
            return CoreDataError(
                NSManagedObjectMergeError,
                "\(owner.compiledEntity.name) \(owner.objectID) cannot be deleted: since it was read, \(member.compiledEntity.name) \(member.objectID) was added to its '\(name)'.",
                entity: owner.compiledEntity.name, key: name,
                objects: [member.objectID.reference, owner.objectID.reference])
        }
        let text = details.map(\.message).joined(separator: "\n")
        return CoreDataError(
            NSManagedObjectMergeError,
            "The save met conflicts:\n\(text)\nRefresh the objects and apply the changes again, or set a merge policy.",
            objects: details.flatMap(\.objects), details: details)
    }
}
