import Foundation
import SwormPredicates

extension NSManagedObjectContext {
    var mergeType: NSMergePolicyType { (mergePolicy as? NSMergePolicy)?.mergeType ?? .errorMergePolicyType }

    /// Whether the policy lets what the context has prevail over what others have saved.
    final var contextWins: Bool {
        mergeType == .overwriteMergePolicyType || mergeType == .mergeByPropertyObjectTrumpMergePolicyType
    }

    // MARK: Rows that were changed

    /// Settles rows that others have changed or deleted since they were read, or throws.
    final func resolve(
        _ conflicts: SaveConflicts, _ builder: SaveRequestBuilder, _ origin: ObjectOrigin, isLastRound: Bool
    ) throws {
        let objects = builder.objects
        let pairs = conflicts.conflicts.compactMap { conflict in
            (objects[conflict.row] ?? identities[identityKey(conflict.row, origin)]).map { (conflict, $0) }
        }
        guard mergeType != .errorMergePolicyType, !isLastRound, pairs.count == conflicts.conflicts.count else {
            throw CoreDataError.changedRows(pairs)
        }
        for (conflict, object) in pairs {
            if conflict.exists {
                try settle(object, origin)
                object.awake(fromSnapshotEvents: .mergePolicy)
            } else {
                try settleMissing(object)
            }
        }
    }

    private func settle(_ object: NSManagedObject, _ origin: ObjectOrigin) throws {
        let old = object.snapshot
        guard let fresh = try readRow(of: object, hint: nil) else { return try settleMissing(object) }
        if object.status.contains(.deleted) {
            let before = object.committedState(old)
            object.snapshot = fresh
            if contextWins { return }
            object.takeBackRelationships { _ in true }
            object.dropChanges()
            forgetEnds(of: object, before, object.committedState(fresh), origin)
            try takeBackDeletionAnew(of: object)
            return
        }
        let before = object.committedState(old)
        let now = object.committedState(fresh)
        object.replaceSnapshot(fresh)
        if mergeType != .overwriteMergePolicyType { object.forgetReadRelationships() }
        forgetEnds(of: object, before, now, origin)
        switch mergeType {
        case .rollbackMergePolicyType:
            object.takeBackRelationships { _ in true }
            object.dropChanges()
            updatedList.remove(object)
        case .mergeByPropertyStoreTrumpMergePolicyType: object.giveWay(to: now, from: before)
        case .overwriteMergePolicyType:
            object.insist(on: before)
            try keepPartners(of: object, over: now, origin)
        default: try keepPartners(of: object, over: now, origin)
        }
    }

    /// Lets the objects that a row led to before, and those that it leads to now, read anew what leads back to it.
    private func forgetEnds(
        of object: NSManagedObject, _ before: CommittedRow?, _ now: CommittedRow?, _ origin: ObjectOrigin
    ) {
        guard let before, let now else { return }
        for (slot, relationship) in object.plan.relationships.enumerated() where before.toOnes[slot] != now.toOnes[slot]
        {
            guard let inverse = relationship.inverse else { continue }
            for case let row? in [before.toOnes[slot], now.toOnes[slot]] {
                identities[identityKey(row, origin)]?.forgetReadRelationship(inverse)
            }
        }
    }

    /// Settles an object whose row was deleted by others.
    private func settleMissing(_ object: NSManagedObject) throws {
        if object.status.contains(.deleted) {
            // What was to be done has been done.
            deletedList.remove(object)
            object.status.remove(.deleted)
            object.status.insert(.gone)
            identities[identityKey(object.objectID.row, object.objectID.origin)] = nil
            return
        }
        updatedList.remove(object)
        // What was never read cannot be written anew.
        if contextWins, !object.isFault {
            // The object is written anew under its old key.
            let values = try object.plan.attributes.indices.map { try object.attributeToRevive($0) }
            for (slot, relationship) in object.plan.relationships.enumerated() {
                if !relationship.isToMany {
                    object.setRelationshipState(slot, .toOne(object.destination(slot)))
                } else if case .toMany(let members) = object.relationshipState(slot) {
                    // Its links went with the row. What was linked since comes with the new one.
                    let added = members.noted.added
                    let fresh = ToManyMembers(isLoaded: true)
                    for other in added { fresh.add(other) }
                    object.setRelationshipState(slot, .toMany(fresh))
                }
            }
            object.edits = SlotValues(all: values)
            lostVersions[ObjectIdentifier(object)] = object.snapshot.version
            object.snapshot = .none
            object.status.remove(.updated)
            object.status.insert(.inserted)
            insertedList.insert(object)
            try pairAnew(object)
        } else {
            identities[identityKey(object.objectID.row, object.objectID.origin)] = nil
            object.dropChanges()
            object.status.insert(.gone)
        }
    }
}

extension NSManagedObject {
    /// What a snapshot says of the stored properties.
    fileprivate final func committedState(_ state: ObjectSnapshot) -> CommittedRow? {
        switch state {
        case .none, .fault: return nil
        case .values(let row): return row
        case .row, .patched:
            let present = snapshot
            snapshot = state
            defer { snapshot = present }
            let attributes = plan.attributes.indices.map { committedAttributeIfPresent($0) }
            return CommittedRow(
                version: state.version ?? 0, attributes: attributes.map { $0 ?? .null },
                toOnes: plan.relationships.indices.map {
                    plan.relationships[$0].isToMany ? nil : committedDestination($0)
                }, lost: attributes.indices.filter { attributes[$0] == nil })
        }
    }

    /// The present value of an attribute, for a row that replaces a deleted one.
    ///
    /// - Throws: A conflict where it was in a file that went with the row.
    fileprivate final func attributeToRevive(_ slot: Int) throws -> AttributeValue {
        guard plan.traits[slot].allowsExternalStorage, !changedAttributes.contains(slot) else { return attribute(slot) }
        if let value = committedAttributeIfPresent(slot) { return value }
        let name = plan.attributes[slot].name
        throw CoreDataError(
            NSManagedObjectMergeError,
            "\(plan.name) \(objectID) was deleted in the store since it was read, and the content of its “\(name)”, which nobody had read, with it. It cannot be written anew without that: set it, or delete the object.",
            entity: plan.name, key: name, objects: [objectID.reference])
    }

    /// Drops the changes of properties that the store has changed too.
    fileprivate final func giveWay(to fresh: CommittedRow?, from old: CommittedRow?) {
        guard let fresh, let old else { return }
        // No store knows the transient ones.
        for slot in plan.attributes.indices
        where !plan.traits[slot].isTransient
            && (fresh.attributes[slot] != old.attributes[slot] || old.lost.contains(slot))
        {
            edits[slot] = nil
            changedAttributes.remove(slot)
        }
        takeBackRelationships { fresh.toOnes[$0] != old.toOnes[$0] }
    }

    /// Gives changed relationships the store's state again, and the objects at their other ends with them.
    final func takeBackRelationships(_ condition: (Int) -> Bool) {
        for slot in plan.relationships.indices where changedRelationships.contains(slot) && condition(slot) {
            if plan.relationships[slot].isToMany {
                let changes = members(slot, loaded: false).noted
                for other in changes.added { try? removeMember(slot, other) }
                for other in changes.removed { try? addMember(slot, other) }
            } else {
                let stored = committedDestination(slot).flatMap {
                    context?.object(for: $0, origin: objectID.origin, hint: nil)
                }
                try? setDestination(slot, stored)
            }
            changedRelationships.remove(slot)
            setRelationshipState(slot, .untouched)
        }
    }

    /// Marks every stored property as changed, so that the object replaces the row as a whole.
    fileprivate final func insist(on old: CommittedRow?) {
        guard let old else { return }
        prepareEdits()
        for (slot, attribute) in plan.attributes.enumerated() where !attribute.isTransient {
            // Content that was removed with its file cannot be written again.
            if old.lost.contains(slot), !changedAttributes.contains(slot) { continue }
            if !changedAttributes.contains(slot) { edits[slot] = old.attributes[slot] }
            changedAttributes.insert(slot)
        }
        for (slot, relationship) in plan.relationships.enumerated() where !relationship.isToMany {
            guard !changedRelationships.contains(slot) else { continue }
            changedRelationships.insert(slot)
            guard case .untouched = relationshipState(slot) else { continue }
            let row = old.toOnes[slot]
            setRelationshipState(
                slot, .toOne(row.flatMap { context?.object(for: $0, origin: objectID.origin, hint: nil) }))
        }
    }
}

extension CoreDataError {
    fileprivate static func changedRows(_ pairs: [(SaveConflicts.Conflict, NSManagedObject)]) -> CoreDataError {
        let details = pairs.map { conflict, object in
            CoreDataError(
                NSManagedObjectMergeError,
                "\(object.plan.name) \(object.objectID) was \(conflict.exists ? "changed" : "deleted") in the store since it was read (version \(conflict.expected)).",
                entity: object.plan.name, objects: [object.objectID.reference])
        }
        let text = details.map(\.message).joined(separator: "\n")
        return CoreDataError(
            NSManagedObjectMergeError,
            "The save met conflicts:\n\(text)\nRefresh the objects and apply the changes again, or set a merge policy.",
            objects: details.flatMap(\.objects), details: details)
    }
}

extension AttributeValue {
    /// Equal where the store takes the values for equal: Swift takes texts for equal whose bytes differ.
    var uniqueKey: AttributeValue {
        if case .string(let text) = self { return .data(Data(text.utf8)) }
        return self
    }
}
