import SwormPredicates
import SwormStore

// Conflicts between unique values in the save and rows that already exist in the store.
extension ConflictSettlement {
    /// Unites inserted objects with the rows that already hold their unique values. The policy decides whose values are
    /// kept.
    ///
    /// - Returns: False, with nothing settled, if an update uses the values of another row, or if two objects of the
    ///   save have the same values: no policy defines which of them loses its values.
    mutating func settle(_ conflicts: [ConstraintConflict]) -> Bool {
        var pairs: [(object: RowID, existing: RowSnapshot)] = []
        for conflict in conflicts {
            guard conflict.conflictingObjects.count == 1, let object = conflict.conflictingObjects.first,
                insertions.contains(object), let existing = conflict.databaseSnapshot,
                !insertions.contains(existing.row)
            else { return false }
            pairs.append((object, existing))
        }
        // If the unique values of an object belong to several rows, it is united with the first of them. From then on
        // it is an update of that row and no longer an insertion.
        for (object, existing) in pairs where insertions.contains(object) { unite(object, with: existing) }
        return !pairs.isEmpty
    }

    private mutating func unite(_ object: RowID, with existing: RowSnapshot) {
        guard let insertion = insertions[object] else { return }
        insertions[object] = nil
        let (old, new) = (model[object.entity], model[existing.row.entity])
        dissolvePairs(of: insertion)
        if policy.contextPrevails {
            var update =
                updates[existing.row]
                ?? SaveRequest.Update(
                    row: existing.row, version: existing.version, attributes: SlotValues(), toOnes: [])
            for (slot, attribute) in old.attributes.enumerated()
            where attribute.derivation == nil && !attribute.isTransient {
                guard case .attribute(let target) = new.slot(named: attribute.name),
                    new.attributes[target].type == attribute.type
                else { continue }
                let value = insertion.attributes[slot]
                // Assigning a value that the row already has is not a change.
                update.attributes[target] = existing.attributes[target] == .value(value) ? nil : value
            }
            for (slot, relationship) in old.relationships.enumerated() where !relationship.isToMany {
                guard let destination = insertion.toOnes[slot],
                    case .relationship(let target) = new.slot(named: relationship.name)
                else { continue }
                update.toOnes.removeAll { $0.slot == target }
                if !model.isSame(existing.toOnes[target], as: destination) {
                    update.toOnes.append((target, destination))
                }
            }
            updates[existing.row] = update
        }
        replace(object, by: existing.row)
        note(.unite(object, with: existing.row))
    }

    /// Clears the references from the partners of an inserted object if the partners of the row are kept.
    private mutating func dissolvePairs(of insertion: SaveRequest.Insertion) {
        guard !policy.contextPrevails else { return }
        for (slot, inverse) in model[insertion.row.entity].pairings(in: model) {
            guard let partner = insertion.toOnes[slot],
                model.isSame(destination(of: partner, inverse), as: insertion.row)
            else { continue }
            if insertions.contains(partner) {
                insertions[partner]?.toOnes[inverse] = nil
            } else if var update = updates[partner] {
                update.toOnes.removeAll { $0.slot == inverse }
                update.toOnes.append((inverse, nil))
                updates[partner] = update
            }
        }
    }
}
