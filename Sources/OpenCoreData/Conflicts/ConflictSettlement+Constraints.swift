import SwormPredicates
import SwormStore

// Conflicts between the unique values of the save, and with those of rows that already exist in the store.
extension ConflictSettlement {
    /// The object that is kept of all those with the same unique values.
    private enum Holder {
        /// An object with a row in the store.
        case stored(RowSnapshot)
        /// An inserted object.
        case inserted(RowID)

        var row: RowID {
            switch self {
            case .stored(let row): row.row
            case .inserted(let row): row
            }
        }
    }

    /// Unites inserted objects with the rows that already hold their unique values, and with other objects of the save
    /// that do. The policy decides whose values are kept.
    ///
    /// The objects of one save are settled as if they had been saved one after the other: if the context prevails, the
    /// later ones update the first one, and if the store prevails, the first one stays as it is.
    ///
    /// - Returns: False, with nothing settled, if an update uses the values of another row: no policy defines which of
    ///   the two rows loses its values.
    mutating func settle(_ conflicts: [ConstraintConflict]) -> Bool {
        var pairs: [(object: RowID, holder: Holder)] = []
        for conflict in conflicts {
            guard let holder = holder(in: conflict) else { return false }
            let own = model.identity(of: holder.row)
            for object in conflict.conflictingObjects where model.identity(of: object) != own {
                guard insertions.contains(object) else { return false }
                pairs.append((object, holder))
            }
        }
        // If the unique values of an object belong to several rows, it is united with the first of them. From then on
        // it is an update of that row and no longer an insertion. Objects that had a row precede new ones.
        let ordered = pairs.filter { returns($0.object) } + pairs.filter { !returns($0.object) }
        for (object, holder) in ordered where insertions.contains(object) {
            switch holder {
            case .stored(let existing): unite(object, with: existing)
            // An object that is no longer inserted has become another row, whose values are compared anew.
            case .inserted(let first): if insertions.contains(first) { unite(object, withInserted: first) }
            }
        }
        return !pairs.isEmpty
    }

    /// Returns the object that is kept; nil if a row of the store would have to give up its values.
    private func holder(in conflict: ConstraintConflict) -> Holder? {
        if let existing = conflict.databaseSnapshot {
            return insertions.contains(existing.row) ? nil : .stored(existing)
        }
        guard conflict.databaseObject == nil else { return nil }
        let saved = conflict.conflictingObjects.filter { !insertions.contains($0) }
        guard let first = saved.first else {
            let first = conflict.conflictingObjects.first { returns($0) } ?? conflict.conflictingObjects.first
            return first.map { .inserted($0) }
        }
        return saved.count == 1 ? fresh[first].map { .stored($0) } : nil
    }

    /// Returns whether an inserted object had a row, and returns to the key of that row.
    private func returns(_ object: RowID) -> Bool { insertions[object]?.lostVersion != nil }

    /// Unites an inserted object with one that was inserted before.
    private mutating func unite(_ object: RowID, withInserted first: RowID) {
        guard let insertion = insertions[object] else { return }
        insertions[object] = nil
        let (old, new) = (model[object.entity], model[first.entity])
        dissolvePairs(of: insertion)
        if policy.contextPrevails {
            for (slot, attribute) in old.attributes.enumerated()
            where attribute.derivation == nil && !attribute.isTransient {
                guard case .attribute(let target) = new.slot(named: attribute.name),
                    new.attributes[target].type == attribute.type
                else { continue }
                insertions[first]?.attributes[target] = insertion.attributes[slot]
            }
            for (slot, relationship) in old.relationships.enumerated() where !relationship.isToMany {
                guard let destination = insertion.toOnes[slot],
                    case .relationship(let target) = new.slot(named: relationship.name)
                else { continue }
                insertions[first]?.toOnes[target] = destination
            }
        }
        replace(object, by: first)
        note(.unite(object, with: first))
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
