import SwormPredicates
import SwormStore

extension NSManagedObject {
    /// Replaces the unsaved changes by those of a settled request. Transient values and to-many relationships are
    /// preserved.
    ///
    /// - Parameter update: The request's update of the object's row, or nil if it has none.
    final func takeChanges(_ update: SaveRequest.Update?) {
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

    /// Replaces the stored attributes of an inserted object by those of a settled request.
    final func takeAttributes(of insertion: SaveRequest.Insertion) {
        for slot in compiledEntity.attributes.indices
        where !compiledEntity.traits[slot].isTransient && compiledEntity.attributes[slot].derivation == nil {
            guard edits[slot] != insertion.attributes[slot] else { continue }
            edits[slot] = insertion.attributes[slot]
            changedAttributes.insert(slot)
        }
        markUpdated()
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

    /// Whether there are unsaved changes that are stored in the object's own row.
    final var changesRow: Bool {
        var found = false
        changedAttributes.forEach { _ in found = true }
        changedRelationships.forEach { if !compiledEntity.relationships[$0].isToMany { found = true } }
        return found
    }

    /// Unlinks an inserted object from all its partners, and returns these by relationship name.
    final func takeLinks() throws -> [(name: String, others: [NSManagedObject])] {
        var links: [(name: String, others: [NSManagedObject])] = []
        for (slot, relationship) in compiledEntity.relationships.enumerated() where !relationship.isTransient {
            switch relationshipState(slot) {
            case .untouched: continue
            case .toOne(let destination):
                guard let destination, !destination.isDeleted else { continue }
                links.append((relationship.name, [destination]))
                try setDestination(slot, to: nil)
            case .toMany:
                let others = memberObjects(slot).filter { !$0.isDeleted }
                links.append((relationship.name, others))
                try setMembers(slot, to: [])
            }
        }
        return links
    }
}
