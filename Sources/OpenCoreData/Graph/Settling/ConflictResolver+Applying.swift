import SwormPredicates
import SwormStore

// The effects of a settlement on the objects.
extension ConflictResolver {
    /// Applies a settlement to the objects.
    func apply(
        _ settlement: ConflictSettlement, reading rows: RowsReadAnew, in builder: SaveRequestBuilder
    ) throws {
        // The policy may have changed relationships since the last settlement.
        referrers = nil
        let known = builder.objects
        let object = { [context, origin] (row: RowID) -> NSManagedObject in
            known[row] ?? context.object(for: row, origin: origin, hint: nil)
        }
        for step in settlement.steps {
            switch step {
            case .merge(let row):
                try rows.withRow(row) { try merge(object(row), by: settlement, over: $0, from: $1) }
            case .rollBack(let row):
                try rows.withRow(row) { rollBack(object(row), to: $0, from: $1) }
            case .takeBackDeletion(let row, isRolledBack: true):
                try rows.withRow(row) { try rollBackDeletion(of: object(row), to: $0, from: $1) }
            case .takeBackDeletion(let row, isRolledBack: false):
                object(row).forgetReadRelationships()
                try takeBackDeletionAnew(of: object(row))
            case .insertAnew(let row):
                if let insertion = settlement.insertions[row] { insertAnew(object(row), with: insertion.attributes) }
            case .forget(let row): forgetMissing(object(row))
            case .delete(let row):
                if try isAtHand(object(row)) { context.deleteObject(object(row)) }
            case .deny(let row, let slot): object(row).forgetReadRelationship(slot)
            case .lead(let row, let slot, let destination):
                if try isAtHand(object(row)) { object(row).assignDestination(slot, to: destination.map(object)) }
            case .takeBack(let row, let slot): object(row).takeBackRelationships { $0 == slot }
            case .unite(let row, let existing):
                if let first = known[existing], first.status.contains(.inserted) {
                    try unite(object(row), withInserted: first, taking: settlement.insertions[existing])
                } else {
                    try unite(
                        object(row), with: existing, over: rows.snapshot(of: existing),
                        taking: settlement.updates[existing])
                }
            }
        }
    }

    /// Updates an object to the stored row, and keeps the object's changes that the settlement preserves.
    private func merge(
        _ object: NSManagedObject, by settlement: ConflictSettlement, over fresh: ObjectSnapshot,
        from conflict: MergeConflict
    ) throws {
        context.noteRefresh(of: object)
        if object.status.contains(.deleted) {
            object.snapshot = fresh
        } else {
            takeRow(fresh, of: object, from: conflict)
            object.takeChanges(settlement.updates[conflict.sourceObject])
        }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    /// Resets an object to its stored state.
    private func rollBack(_ object: NSManagedObject, to fresh: ObjectSnapshot, from conflict: MergeConflict) {
        takeRow(fresh, of: object, from: conflict)
        object.takeBackRelationships { _ in true }
        object.dropChanges()
        context.updatedList.remove(object)
        object.awake(fromSnapshotEvents: .mergePolicy)
        context.noteRefresh(of: object)
    }

    /// Undoes the deletion of an object, and resets the object to its stored state.
    private func rollBackDeletion(
        of object: NSManagedObject, to fresh: ObjectSnapshot, from conflict: MergeConflict
    ) throws {
        object.snapshot = fresh
        object.takeBackRelationships { _ in true }
        object.dropChanges()
        forgetEnds(of: object, conflict)
        try takeBackDeletionAnew(of: object)
        object.awake(fromSnapshotEvents: .mergePolicy)
        context.noteRefresh(of: object)
    }

    private func takeRow(_ fresh: ObjectSnapshot, of object: NSManagedObject, from conflict: MergeConflict) {
        object.replaceSnapshot(fresh)
        if mergeType != .overwriteMergePolicyType { object.forgetReadRelationships() }
        forgetEnds(of: object, conflict)
    }

    /// Causes the previous and the current destinations of a row to read their inverse relationships again.
    private func forgetEnds(of object: NSManagedObject, _ conflict: MergeConflict) {
        guard let before = conflict.cachedSnapshot?.toOnes, let now = conflict.persistedSnapshot?.toOnes else { return }
        for (slot, relationship) in object.compiledEntity.relationships.enumerated() where before[slot] != now[slot] {
            guard let inverse = relationship.inverse else { continue }
            for case let row? in [before[slot], now[slot]] {
                context.identities[context.identityKey(of: row, in: object.objectID.origin)]?.forgetReadRelationship(
                    inverse)
            }
        }
    }

    // MARK: Rows that were deleted

    /// Discards an object whose row was deleted in the store.
    private func forgetMissing(_ object: NSManagedObject) {
        context.identities[context.identityKey(of: object.objectID.row, in: object.objectID.origin)] = nil
        if object.status.contains(.deleted) {
            // Another context or process has already deleted the row.
            context.deletedList.remove(object)
            object.status.remove(.deleted)
        } else {
            context.updatedList.remove(object)
            object.dropChanges()
        }
        object.status.insert(.gone)
        context.pendingEvent.noteDeletion(of: object)
    }

    /// Inserts an object whose row was deleted in the store again, under its old key.
    ///
    /// - Parameter values: Its attributes by slot. Transient attributes keep the object's current values.
    private func insertAnew(_ object: NSManagedObject, with values: [AttributeValue]) {
        context.updatedList.remove(object)
        let values = object.compiledEntity.attributes.indices.map {
            object.compiledEntity.traits[$0].isTransient ? object.attribute($0) : values[$0]
        }
        for (slot, relationship) in object.compiledEntity.relationships.enumerated() {
            if !relationship.isToMany {
                object.setRelationshipState(slot, to: .toOne(object.destination(slot)))
            } else if case .toMany(let members) = object.relationshipState(slot) {
                // Its links were deleted with the row. Members that were added since are linked to the new row.
                let added = members.noted.added
                let fresh = ToManyMembers(isLoaded: true)
                for other in added { fresh.add(other) }
                object.setRelationshipState(slot, to: .toMany(fresh))
            }
        }
        object.edits = SlotValues(all: values)
        noteLost(object)
        object.snapshot = .none
        object.status.remove(.updated)
        object.status.insert(.inserted)
        context.insertedList.insert(object)
    }

    // MARK: Partners

    /// Returns whether an object exists and can be changed. The stored state of the object is read again, unless it was
    /// already compared with the store because the save writes the row.
    private func isAtHand(_ object: NSManagedObject) throws -> Bool {
        if object.status.contains(.inserted) { return true }
        if !object.status.isDisjoint(with: [.deleted, .gone]) { return false }
        if object.hasChanges {
            guard !object.changesRow else { return true }
            guard let fresh = try context.readRow(of: object, hint: nil) else { return false }
            object.replaceSnapshot(fresh)
            object.forgetReadRelationships()
            return true
        }
        context.refreshObject(object, mergeChanges: false)
        do {
            try object.load()
            return true
        } catch let error as CoreDataError where error.errorCode == NSManagedObjectReferentialIntegrityError {
            return false
        }
    }

    /// Restores an object like `takeBackDeletion`, after reading the stored state of the object and its partners
    /// again.
    private func takeBackDeletionAnew(of object: NSManagedObject) throws {
        if let fresh = try context.readRow(of: object, hint: nil) { object.snapshot = fresh }
        try context.takeBackDeletion(of: object) { try isAtHand($0) }
    }
}
