import Foundation
import SwormPredicates
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormStore
#endif

/// The findings of a merge at objects with unsaved changes.
struct MergedCommits {
    /// Whether objects with unsaved changes were left as they are, so that saving them is a conflict.
    var isPostponed = false
    /// The properties with unsaved changes that have a new value in the store.
    var overtaken: [(object: NSManagedObject, properties: Set<String>)] = []
    /// The attributes of objects with unsaved deletions that have a new value in the store.
    var renewed: [(deleted: NSManagedObject, values: [String: ObjectEdit.ValueChange])] = []
    /// The objects whose rows were deleted.
    var lost: [NSManagedObject] = []
    /// The changes that the unsaved deletion of an object has made in addition, because members were added to a relation
    /// that cascades.
    var cascades: [(deleted: NSManagedObject, edits: [ObjectEdit])] = []

    /// The errors that report the unsaved changes of deleted objects.
    var losses: [StoreError] {
        lost.map { object in
            let id = object.objectID.reference
            return StoreError(
                .objectDeleted,
                "\(id.entityName) p\(id.key) was deleted by another context while it had unsaved changes, which are lost.",
                entity: id.entityName)
        }
    }
}

// The merging of commits into a context that outlives single calls.
extension NSManagedObjectContext {
    /// Causes the objects that commits have changed to be read again. Unsaved changes are preserved, except those of
    /// deleted objects.
    ///
    /// - Parameter postponesConflicts: Whether objects with unsaved changes, whose rows may have changed, are left as they
    ///   are.
    /// - Complexity: O(*n*) in the number of registered objects.
    /// - Throws: The store's error.
    func mergeCommits(
        _ changes: CommittedChanges, postponingConflicts postponesConflicts: Bool = false
    ) throws -> MergedCommits {
        var merged = MergedCommits()
        forgetRows()
        var deleted: [NSManagedObject] = []
        var unchanged: [NSManagedObject] = []
        var changed: [NSManagedObject] = []
        for object in registeredObjects where !object.isInserted && !object.objectID.isTemporaryID {
            let effect = changes.effect(on: object)
            if postponesConflicts, effect != .none, object.hasChanges, changes.mayChangeRow(of: object) {
                merged.isPostponed = true
                continue
            }
            switch effect {
            case .none: continue
            case .deletion: deleted.append(object)
            case .change where object.hasChanges: changed.append(object)
            case .change: unchanged.append(object)
            }
        }
        // Unknown changes may have deleted any row; the rows of changed objects decide whether changes are lost.
        let doubtful = changes.isUnknown || !changes.unknownRows.isEmpty ? changed + unchanged : changed
        let existing = try doubtful.isEmpty ? [] : withRows(doubtful)
        deleted += doubtful.filter { !existing.contains($0) }
        if !deleted.isEmpty {
            let gone = Set(deleted)
            changed.removeAll(where: gone.contains)
            unchanged.removeAll(where: gone.contains)
        }
        for object in unchanged { refresh(object, mergeChanges: true) }
        var before: [(object: NSManagedObject, names: [String], values: [String: NSObject])] = []
        let stored = changed.filter(\.isDeleted).map { (object: $0, values: $0.storedValues) }
        for object in changed where !object.isDeleted {
            let names = object.changedSingleProperties
            before.append((object, names, object.storedProperties(names)))
        }
        for object in changed { refresh(object, mergeChanges: true) }
        if !deleted.isEmpty {
            merged.lost = deleted.filter { $0.hasChanges && !$0.isDeleted }
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectIDsKey: deleted.map(\.objectID)], into: [self])
        }
        for (object, old) in stored {
            var renewed: [String: ObjectEdit.ValueChange] = [:]
            for (name, new) in object.storedValues {
                if let old = old[name], !old.isStoredSame(as: new) { renewed[name] = .init(old: old, new: new) }
            }
            if !renewed.isEmpty { merged.renewed.append((object, renewed)) }
        }
        for (object, names, values) in before where object.isEditable {
            let after = object.storedProperties(names)
            let overtaken = names.filter { values[$0] != after[$0] }
            guard !overtaken.isEmpty else { continue }
            merged.overtaken.append((object, Set(overtaken)))
            for name in overtaken { try object.reassertDestination(name, insteadOf: after[name] as? NSManagedObject) }
        }
        for object in changed where object.isEditable { try object.agreeWithInverses() }
        for object in changed where object.isDeleted {
            let edits = try deleteAgain(object)
            if !edits.isEmpty { merged.cascades.append((object, edits)) }
        }
        return merged
    }

    /// Applies the delete rules of an object, whose deletion is not saved, to objects that were linked with it in the
    /// store.
    ///
    /// - Returns: The deletions of members by relations that cascade.
    private func deleteAgain(_ object: NSManagedObject) throws -> [ObjectEdit] {
        if object.entity.relationshipsByName.isEmpty { return [] }
        let recorder = EditRecorder(self)
        // An inserted object links with its partners in the store. Those with another unsaved destination keep it.
        let (adopted, elsewhere) = try object.storedPartners()
        insert(object)
        processPendingChanges()
        for (name, destination) in adopted { try object.setEditedDestination(destination, for: name) }
        for partner in elsewhere {
            try partner.object.detour(by: partner.name, through: object, to: partner.destination)
        }
        delete(object)
        return try recorder.end().filter(\.isDeletion)
    }
}

extension CommittedChanges {
    fileprivate enum Effect { case none, change, deletion }

    /// Whether the row of an object itself may have another version now, or may have been deleted.
    fileprivate func mayChangeRow(of object: NSManagedObject) -> Bool {
        let root = object.entity.root.stableName
        guard !isUnknown, !unknownRows.contains(root) else { return true }
        guard let rows = rows[root] else { return false }
        let key = object.objectID.reference.key
        return rows.updated.contains(key) || rows.inserted.contains(key) || rows.deleted.contains(key)
    }

    /// Returns what the changes may have done to an object that has a row.
    fileprivate func effect(on object: NSManagedObject) -> Effect {
        if isUnknown { return .change }
        let (entity, root) = (object.entity, object.entity.root.stableName)
        if unknownRows.contains(root) { return .change }
        if let rows = rows[root] {
            let key = object.objectID.reference.key
            if rows.deleted.contains(key) { return rows.inserted.contains(key) ? .change : .deletion }
            if rows.updated.contains(key) || rows.inserted.contains(key) { return .change }
        }
        // A relationship changes together with the row of its other side.
        if let names = properties[entity.stableName], !names.isEmpty,
            names.contains(where: { entity.relationshipsByName[$0] != nil })
        {
            return .change
        }
        return .none
    }
}

extension NSManagedObjectContext {
    /// The objects that the next save deletes, without those whose deletion by another context was merged.
    var unsavedDeletions: Set<NSManagedObject> { deletedObjects.filter(\.hasChanges) }
}
