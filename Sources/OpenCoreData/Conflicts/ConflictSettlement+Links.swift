import SwormPredicates
import SwormStore

// Relationships that changed in the store after the rows at their ends were read. The rows that the save writes did not
// change themselves.
extension ConflictSettlement {
    /// Settles references to rows that the save deletes, and pairs in which only one side refers to the other.
    ///
    /// If the context prevails, its delete rules also apply to the rows that were linked. If the store prevails, an
    /// object to which a row was linked is not deleted. Settling one conflict can also settle a later one.
    mutating func settle(_ conflicts: LinkConflicts) {
        for member in conflicts.members { settle(member) }
        for conflict in conflicts.conflicts { settle(conflict) }
    }

    private mutating func settle(_ conflict: LinkConflicts.Member) {
        guard deletions.contains(conflict.owner) else { return }
        guard policy.contextPrevails else { return takeBackDeletion(conflict.owner) }
        // The validation of the object decides about a denial, because it has to read the object's members again.
        guard model[conflict.owner.entity].relationships[conflict.relationship].deleteRule == .cascadeDeleteRule else {
            return note(.deny(conflict.owner, relationship: conflict.relationship))
        }
        delete(conflict.member)
    }

    private mutating func settle(_ conflict: LinkConflicts.Conflict) {
        let relationships = model[conflict.row.entity].relationships
        guard relationships.indices.contains(conflict.relationship) else { return }
        let inverse = relationships[conflict.relationship].inverse
        guard conflict.isDeletion else {
            if let inverse { settlePair(conflict, inverse: inverse) }
            return
        }
        guard deletions.contains(conflict.destination) else { return }
        guard policy.contextPrevails else { return takeBackDeletion(conflict.destination) }
        guard let inverse, exists(conflict.row) else { return }
        switch model[conflict.destination.entity].relationships[inverse].deleteRule {
        case .cascadeDeleteRule: delete(conflict.row)
        case .denyDeleteRule: note(.deny(conflict.destination, relationship: inverse))
        case .nullifyDeleteRule, .noActionDeleteRule: lead(conflict.row, by: conflict.relationship, to: nil)
        }
    }

    /// Settles a conflict in which a row refers to a row that does not refer back.
    private mutating func settlePair(_ conflict: LinkConflicts.Conflict, inverse: Int) {
        let (row, slot, partner) = (conflict.row, conflict.relationship, conflict.destination)
        guard exists(row), exists(partner), model.isSame(destination(of: row, slot), as: partner) else { return }
        let isOwn = insertions.contains(row) || changes(row, at: slot)
        if isOwn, policy.contextPrevails {
            guard !model.isSame(destination(of: partner, inverse), as: row) else { return }
            if let other = destination(of: partner, inverse), exists(other),
                model.isSame(destination(of: other, slot), as: partner)
            {
                lead(other, by: slot, to: nil)
            }
            lead(partner, by: inverse, to: row)
        } else if isOwn, !insertions.contains(row) {
            takeBack(row, at: slot)
        } else if !isOwn, !policy.contextPrevails, changes(partner, at: inverse) {
            takeBack(partner, at: inverse)
        } else {
            lead(row, by: slot, to: nil)
        }
    }

    private func changes(_ row: RowID, at slot: Int) -> Bool {
        updates[row]?.toOnes.contains { $0.slot == slot } ?? false
    }

    private mutating func takeBack(_ row: RowID, at slot: Int) {
        updates[row]?.toOnes.removeAll { $0.slot == slot }
        note(.takeBack(row, relationship: slot))
    }

    private mutating func takeBackDeletion(_ row: RowID) {
        deletions[row] = nil
        note(.takeBackDeletion(row, isRolledBack: false))
    }

    private mutating func delete(_ row: RowID) {
        guard exists(row) else { return }
        let version = updates[row]?.version ?? fresh[row]?.version
        insertions[row] = nil
        updates[row] = nil
        deletions[row] = SaveRequest.Deletion(row: row, version: version)
        note(.delete(row))
    }
}
