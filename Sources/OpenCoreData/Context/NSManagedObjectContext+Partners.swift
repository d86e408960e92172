import SwormPredicates

extension NSManagedObjectContext {
    /// Keeps both sides of relationships between two objects in step when one object is written over what others saved.
    ///
    /// Others may have given the object another partner, whose side still leads to it, and taken the link away from the one
    /// that it has here. Both partners are written along with it.
    ///
    /// - Parameters:
    ///   - object: An object whose present state goes into the store.
    ///   - stored: What the store holds of it now.
    final func keepPartners(of object: NSManagedObject, over stored: CommittedRow?, _ origin: ObjectOrigin) throws {
        guard let stored else { return }
        for (slot, inverse) in object.pairings where object.changedRelationships.contains(slot) {
            let partner = object.destination(slot)
            if let row = stored.toOnes[slot], row != partner?.objectID.row {
                let lost = self.object(for: row, origin: origin, hint: nil)
                if try isAtHand(lost), lost !== object, lost.destination(inverse) === object {
                    lost.assignDestination(inverse, nil)
                }
            }
            if let partner, partner !== object, try isAtHand(partner) { try pair(object, slot, with: partner, inverse) }
        }
    }

    /// Makes two objects lead to each other only. The side of the first one stands already.
    private func pair(_ object: NSManagedObject, _ slot: Int, with partner: NSManagedObject, _ inverse: Int) throws {
        guard partner.destination(inverse) !== object else { return }
        if let other = partner.destination(inverse), try isAtHand(other), other.destination(slot) === partner {
            other.assignDestination(slot, nil)
        }
        partner.assignDestination(inverse, object)
    }

    /// Pairs an object that is written anew with its partners again: with those that have no others by now.
    final func pairAnew(_ object: NSManagedObject) throws {
        for (slot, inverse) in object.pairings {
            guard let partner = object.destination(slot), partner !== object, !partner.status.contains(.inserted) else {
                continue
            }
            // What the context itself has paired stays so.
            if object.changedRelationships.contains(slot), partner.destination(inverse) === object { continue }
            if try isAtHand(partner), partner.destination(inverse).map({ $0 === object }) ?? true {
                partner.assignDestination(inverse, object)
            } else if partner.status.isDisjoint(with: [.deleted, .gone]) {
                object.setRelationshipState(slot, .toOne(nil))
            }
        }
    }

    // MARK: Pairs of which one side was changed by others

    /// Settles rows that lead to an object which the save deletes, and pairs of which one side alone leads to the other.
    ///
    /// Where the context prevails, its delete rules reach the rows that others have linked meanwhile. Where the store does,
    /// an object lives on to which others have linked something.
    final func resolve(
        _ conflicts: LinkConflicts, _ builder: SaveRequestBuilder, _ origin: ObjectOrigin, isLastRound: Bool
    ) throws {
        let known = builder.objects
        func object(_ row: SaveRequest.Row) -> NSManagedObject {
            known[row] ?? self.object(for: row, origin: origin, hint: nil)
        }
        let links = conflicts.conflicts.map { (conflict: $0, from: object($0.row), to: object($0.destination)) }
        let members = conflicts.members.map {
            (slot: $0.relationship, owner: object($0.owner), member: object($0.member))
        }
        guard mergeType != .errorMergePolicyType, !isLastRound else {
            throw CoreDataError.changedLinks(links.map { ($0.conflict, $0.from, $0.to) }, members)
        }
        for (slot, owner, member) in members where owner.status.contains(.deleted) {
            if contextWins {
                try followDeleteRule(of: owner, slot, to: member)
            } else {
                owner.forgetReadRelationships()
                try takeBackDeletionAnew(of: owner)
            }
        }
        for (conflict, object, destination) in links {
            let slot = conflict.relationship
            guard object.plan.relationships.indices.contains(slot) else { continue }
            if !conflict.isDeletion {
                try settlePair(object, slot, destination)
            } else if !destination.status.contains(.deleted) {
                // An earlier one of the conflicts has settled it.
                continue
            } else if contextWins {
                try followDeleteRule(of: destination, to: object, slot)
            } else {
                destination.forgetReadRelationships()
                try takeBackDeletionAnew(of: destination)
            }
        }
    }

    /// Does to an object what the deletion of the one that it leads to does to all its members.
    private func followDeleteRule(of deleted: NSManagedObject, to object: NSManagedObject, _ slot: Int) throws {
        guard let inverse = object.plan.relationships[slot].inverse, try isAtHand(object) else { return }
        switch deleted.plan.relationships[inverse].deleteRule {
        case .cascadeDeleteRule: delete(object)
        case .denyDeleteRule: deleted.forgetReadRelationship(inverse)
        case .nullifyDeleteRule, .noActionDeleteRule: object.assignDestination(slot, nil)
        }
    }

    /// As above, where the link stands in a join table, or in a column of the member that it knows nothing of. A denial is
    /// left to the validation, which reads the members anew.
    private func followDeleteRule(of deleted: NSManagedObject, _ slot: Int, to member: NSManagedObject) throws {
        guard deleted.plan.relationships[slot].deleteRule == .cascadeDeleteRule else {
            return deleted.forgetReadRelationship(slot)
        }
        if try isAtHand(member) { delete(member) }
    }

    /// Settles that an object leads to one that does not lead back.
    private func settlePair(_ object: NSManagedObject, _ slot: Int, _ destination: NSManagedObject) throws {
        guard let inverse = object.plan.relationships[slot].inverse else { return }
        let (isObjectThere, isDestinationThere) = (try isAtHand(object), try isAtHand(destination))
        guard isObjectThere, isDestinationThere, object.destination(slot) === destination else { return }
        let isOwn = object.status.contains(.inserted) || object.changedRelationships.contains(slot)
        if isOwn, contextWins {
            try pair(object, slot, with: destination, inverse)
        } else if isOwn, !object.status.contains(.inserted) {
            object.takeBackRelationships { $0 == slot }
        } else if !isOwn, !contextWins, !destination.status.contains(.inserted) {
            destination.takeBackRelationships { $0 == inverse }
        } else {
            object.assignDestination(slot, nil)
        }
    }

    /// Whether an object is there to be changed. What the store holds of it is read anew, unless it was compared with the
    /// store already, because the save writes the row.
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
    /// The relationships between two objects: the slot of each, and that of its inverse.
    fileprivate final var pairings: [(slot: Int, inverse: Int)] {
        let model = objectID.origin.compiled
        return plan.relationships.enumerated().compactMap { slot, relationship in
            guard !relationship.isToMany, let inverse = relationship.inverse,
                !model[relationship.destination].relationships[inverse].isToMany
            else { return nil }
            return (slot, inverse)
        }
    }

    /// Whether there are unsaved changes that the object's own row keeps.
    fileprivate final var changesRow: Bool {
        var found = false
        changedAttributes.forEach { _ in found = true }
        changedRelationships.forEach { if !plan.relationships[$0].isToMany { found = true } }
        return found
    }
}

extension CoreDataError {
    fileprivate static func changedLinks(
        _ links: [(conflict: LinkConflicts.Conflict, from: NSManagedObject, to: NSManagedObject)],
        _ members: [(slot: Int, owner: NSManagedObject, member: NSManagedObject)]
    ) -> CoreDataError {
        var details = links.map { conflict, object, destination in
            let relationships = object.plan.relationships
            let name =
                relationships.indices.contains(conflict.relationship)
                ? relationships[conflict.relationship].name : "a relationship"
            let reason =
                conflict.isDeletion
                ? "cannot be deleted: since it was read, \(object.plan.name) \(object.objectID) was given it as its '\(name)'"
                : "does not lead back to \(object.plan.name) \(object.objectID), whose '\(name)' it is: one of them was changed in the store since it was read"
            return CoreDataError(
                NSManagedObjectMergeError, "\(destination.plan.name) \(destination.objectID) \(reason).",
                entity: object.plan.name, key: name,
                objects: [object.objectID.reference, destination.objectID.reference])
        }
        details += members.map { slot, owner, member in
            let name = owner.plan.relationships[slot].name
            return CoreDataError(
                NSManagedObjectMergeError,
                "\(owner.plan.name) \(owner.objectID) cannot be deleted: since it was read, \(member.plan.name) \(member.objectID) was added to its '\(name)'.",
                entity: owner.plan.name, key: name, objects: [member.objectID.reference, owner.objectID.reference])
        }
        let text = details.map(\.message).joined(separator: "\n")
        return CoreDataError(
            NSManagedObjectMergeError,
            "The save met conflicts:\n\(text)\nRefresh the objects and apply the changes again, or set a merge policy.",
            objects: details.flatMap(\.objects), details: details)
    }
}
