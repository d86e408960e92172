import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    var mergeType: NSMergePolicyType { (mergePolicy as? NSMergePolicy)?.mergeType ?? .errorMergePolicyType }

    // MARK: Rows that were changed

    /// Returns a conflict of a save, with the row as the context read it and as it is now.
    final func mergeConflict(
        _ met: SaveConflicts.Conflict, of object: NSManagedObject, reading rows: RowsReadAnew
    ) throws -> MergeConflict {
        var cached = try object.snapshot.rowSnapshot(of: object)
        var persisted = met.exists ? rows.values[met.row] : nil
        let isKept = persisted != nil
        // The policy may write the object as a whole.
        let isWhole = isKept ? mergeType == .overwriteMergePolicyType : mergeType.contextPrevails
        for slot in object.compiledEntity.attributes.indices
        where object.compiledEntity.traits[slot].allowsExternalStorage {
            guard let known = cached?.attributes[slot] else { break }
            let now = persisted?.attributes[slot]
            if case .value(let value) = known, value != .null, case .reference = now,
                let content = try rows.snapshot(of: met.row)?.content(slot, of: object)
            {
                // The object knows the content, so compare the content.
                persisted?.attributes[slot] = content
            } else if case .reference = known, known != now, isWhole {
                if let content = try object.snapshot.content(slot, of: object) { cached?.attributes[slot] = content }
            }
        }
        var present = cached
        object.changedAttributes.forEach { present?.attributes[$0] = .value(object.attribute($0)) }
        for (slot, relationship) in object.compiledEntity.relationships.enumerated()
        where !relationship.isToMany && !relationship.isTransient
            && (!isKept || object.changedRelationships.contains(slot))
        {
            present?.toOnes[slot] = object.destination(slot).flatMap {
                $0.status.isDisjoint(with: [.deleted, .gone]) ? $0.objectID.row : nil
            }
        }
        return MergeConflict(
            sourceObject: met.row, oldVersionNumber: cached?.version ?? met.expected, cachedSnapshot: cached,
            persistedSnapshot: persisted, objectSnapshot: present)
    }

    /// Updates an object to the stored row, and keeps the object's changes that the settlement preserves.
    final func merge(
        _ object: NSManagedObject, by settlement: ConflictSettlement, over fresh: ObjectSnapshot,
        from conflict: MergeConflict
    ) throws {
        if object.status.contains(.deleted) {
            object.snapshot = fresh
        } else {
            takeRow(fresh, of: object, from: conflict)
            object.takeChanges(settlement.updates[conflict.sourceObject])
        }
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    /// Resets an object to its stored state.
    final func rollBack(_ object: NSManagedObject, to fresh: ObjectSnapshot, from conflict: MergeConflict) {
        takeRow(fresh, of: object, from: conflict)
        object.takeBackRelationships { _ in true }
        object.dropChanges()
        updatedList.remove(object)
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    /// Undoes the deletion of an object, and resets the object to its stored state.
    final func rollBackDeletion(
        of object: NSManagedObject, to fresh: ObjectSnapshot, from conflict: MergeConflict
    ) throws {
        object.snapshot = fresh
        object.takeBackRelationships { _ in true }
        object.dropChanges()
        forgetEnds(of: object, conflict)
        try takeBackDeletionAnew(of: object)
        object.awake(fromSnapshotEvents: .mergePolicy)
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
                identities[identityKey(of: row, in: object.objectID.origin)]?.forgetReadRelationship(inverse)
            }
        }
    }

    // MARK: Rows that were deleted

    /// Discards an object whose row was deleted in the store.
    final func forgetMissing(_ object: NSManagedObject) {
        identities[identityKey(of: object.objectID.row, in: object.objectID.origin)] = nil
        if object.status.contains(.deleted) {
            // Another context or process has already deleted the row.
            deletedList.remove(object)
            object.status.remove(.deleted)
        } else {
            updatedList.remove(object)
            object.dropChanges()
        }
        object.status.insert(.gone)
    }

    /// Inserts an object whose row was deleted in the store again, under its old key.
    ///
    /// - Parameter values: Its attributes by slot. Transient attributes keep the object's current values.
    final func insertAnew(_ object: NSManagedObject, with values: [AttributeValue]) {
        updatedList.remove(object)
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
        lostVersions[ObjectIdentifier(object)] = object.snapshot.version
        object.snapshot = .none
        object.status.remove(.updated)
        object.status.insert(.inserted)
        insertedList.insert(object)
    }
}

extension ObjectSnapshot {
    /// Returns the row that an object has read, without the content of external data, or nil if it has read none.
    fileprivate func rowSnapshot(of object: NSManagedObject) throws -> RowSnapshot? {
        switch self {
        case .none, .fault: return nil
        case .values(let row):
            return RowSnapshot(
                row: object.objectID.row, version: row.version, attributes: row.attributes.map { .value($0) },
                toOnes: row.toOnes)
        case .row(let group, let row):
            return try group.rowSnapshot(row: row, of: object.compiledEntity, object.objectID.origin)
        case .patched(let patched):
            var snapshot = try patched.group.rowSnapshot(
                row: patched.row, of: object.compiledEntity, object.objectID.origin)
            snapshot.version = patched.version
            for (slot, value) in patched.values { snapshot.attributes[slot] = .value(value) }
            return snapshot
        }
    }

    /// Returns the content of external data in a row that was read, or nil if the file no longer exists.
    fileprivate func content(_ slot: Int, of object: NSManagedObject) throws -> SnapshotValue? {
        guard let (group, row) = fetched else { return nil }
        do {
            return .value(
                try group.value(
                    row: row, slot: slot, entity: object.compiledEntity, origin: object.objectID.origin,
                    context: object.context))
        } catch let error as CoreDataError where error.isOfMissingFile {
            return nil
        }
    }
}

extension RowSet {
    /// Returns a row as a value. External data is represented by the reference to it.
    func rowSnapshot(row: Int, of entity: CompiledEntity, _ origin: ObjectOrigin) throws -> RowSnapshot {
        let attributes = try entity.attributes.indices.map { slot -> SnapshotValue in
            let value = try value(row: row, slot: slot, entity: entity, origin: origin, context: nil)
            if entity.traits[slot].allowsExternalStorage, case .data(let bytes) = value { return .reference(bytes) }
            return .value(value)
        }
        let toOnes = entity.relationships.indices.map { slot in
            entity.relationships[slot].isToMany
                ? nil : destination(row: row, slot: slot, entity: entity, model: origin.compiled)
        }
        return RowSnapshot(
            row: RowID(entity: entity.number, key: key(row: row)), version: version(row: row),
            attributes: attributes, toOnes: toOnes)
    }
}

extension NSManagedObject {
    /// Replaces the unsaved changes by those of a settled request. Transient values and to-many relationships are
    /// preserved.
    ///
    /// - Parameter update: The request's update of the object's row, or nil if it has none.
    fileprivate final func takeChanges(_ update: SaveRequest.Update?) {
        takeAttributes(update)
        let changed = Set(update?.toOnes.map(\.slot) ?? [])
        takeBackRelationships { !compiledEntity.relationships[$0].isToMany && !changed.contains($0) }
        for (slot, row) in update?.toOnes ?? [] where !changedRelationships.contains(slot) {
            changedRelationships.insert(slot)
            guard case .untouched = relationshipState(slot) else { continue }
            let destination = row.flatMap { context?.object(for: $0, origin: objectID.origin, hint: nil) }
            setRelationshipState(slot, to: .toOne(destination))
        }
    }

    /// Replaces the unsaved values of stored attributes by those of a settled request.
    final func takeAttributes(_ update: SaveRequest.Update?) {
        prepareEdits()
        for slot in compiledEntity.attributes.indices
        where !compiledEntity.traits[slot].isTransient && compiledEntity.attributes[slot].derivation == nil {
            let value = update?.attributes[slot]
            guard value != nil || changedAttributes.contains(slot) else { continue }
            edits[slot] = value
            if value == nil { changedAttributes.remove(slot) } else { changedAttributes.insert(slot) }
        }
        if update?.attributes.isEmpty == false { markUpdated() }
    }

    /// Resets changed relationships to the stored state, together with the objects at their other ends.
    final func takeBackRelationships(_ condition: (Int) -> Bool) {
        for slot in compiledEntity.relationships.indices where changedRelationships.contains(slot) && condition(slot) {
            if compiledEntity.relationships[slot].isToMany {
                let changes = members(slot, loaded: false).noted
                for other in changes.added { giveBack(other, from: slot) }
                for other in changes.removed { try? addMember(slot, object: other) }
            } else {
                let old = destination(slot)
                let stored = storedDestination(slot)
                try? setDestination(slot, to: stored)
                if let old, old !== stored { old.rejoin(by: compiledEntity.relationships[slot].inverse, inverse: slot) }
            }
            changedRelationships.remove(slot)
            setRelationshipState(slot, to: .untouched)
        }
    }

    /// Returns the stored destination of a to-one relationship.
    private func storedDestination(_ slot: Int) -> NSManagedObject? {
        committedDestination(slot).flatMap { context?.object(for: $0, origin: objectID.origin, hint: nil) }
    }

    /// Removes a member that was added. If it was previously a member of another object, it is linked to that object
    /// again.
    private func giveBack(_ member: NSManagedObject, from slot: Int) {
        let relationship = compiledEntity.relationships[slot]
        if let inverse = relationship.inverse, !member.compiledEntity.relationships[inverse].isToMany,
            !member.status.contains(.inserted), member.destination(inverse) === self,
            let stored = member.storedDestination(inverse), stored !== self,
            stored.status.isDisjoint(with: [.deleted, .gone]), (try? member.setDestination(inverse, to: stored)) != nil
        {
            return
        }
        try? removeMember(slot, object: member)
    }

    /// Restores the link to the stored partner if both objects have no partner only because this object was given
    /// another one.
    private func rejoin(by slot: Int?, inverse: Int) {
        guard let slot, !compiledEntity.relationships[slot].isToMany,
            status.isDisjoint(with: [.inserted, .deleted, .gone]),
            destination(slot) == nil, let stored = storedDestination(slot), stored !== self,
            stored.status.isDisjoint(with: [.inserted, .deleted, .gone]), stored.destination(inverse) == nil,
            stored.storedDestination(inverse) === self
        else { return }
        try? setDestination(slot, to: stored)
    }
}

extension CoreDataError {
    static func changedRows(_ pairs: [(SaveConflicts.Conflict, NSManagedObject)]) -> CoreDataError {
        let details = pairs.map { conflict, object in
            CoreDataError(
                NSManagedObjectMergeError,
                "\(object.compiledEntity.name) \(object.objectID) was \(conflict.exists ? "changed" : "deleted") in the store since it was read (version \(conflict.expected)).",
                entity: object.compiledEntity.name, objects: [object.objectID.reference])
        }
        let text = details.map(\.message).joined(separator: "\n")
        return CoreDataError(
            NSManagedObjectMergeError,
            "The save met conflicts:\n\(text)\nRefresh the objects and apply the changes again, or set a merge policy.",
            objects: details.flatMap(\.objects), details: details)
    }
}
