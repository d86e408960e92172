import SwormPredicates
import SwormStore

// Rows that were changed or deleted in the store after they were read.
extension ConflictSettlement {
    /// Settles all row conflicts. Supports every policy except the error policy.
    mutating func settle(_ conflicts: [MergeConflict]) {
        for conflict in conflicts where conflict.persistedSnapshot == nil {
            missing.insert(model.identity(of: conflict.sourceObject))
        }
        for conflict in conflicts {
            if let persisted = conflict.persistedSnapshot {
                settle(conflict, over: persisted)
            } else {
                settleMissing(conflict)
            }
        }
    }

    private mutating func settle(_ conflict: MergeConflict, over persisted: RowSnapshot) {
        let row = conflict.sourceObject
        if deletions.contains(row) {
            if policy.contextPrevails {
                deletions[row]?.version = persisted.version
                note(.merge(row))
            } else {
                deletions[row] = nil
                leaveLinks(of: row)
                note(.takeBackDeletion(row, isRolledBack: true))
            }
            return
        }
        guard policy != .rollbackMergePolicyType else {
            updates[row] = nil
            leaveLinks(of: row)
            return note(.rollBack(row))
        }
        if var update = updates[row] {
            update.version = persisted.version
            switch policy {
            case .mergeByPropertyStoreTrumpMergePolicyType:
                update.giveWay(to: persisted, from: conflict.cachedSnapshot)
            case .overwriteMergePolicyType:
                update.replaceAll(by: conflict.cachedSnapshot, over: persisted, model[row.entity])
            case .errorMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType, .rollbackMergePolicyType: break
            }
            updates[row] = update
        }
        note(.merge(row))
    }

    private mutating func settleMissing(_ conflict: MergeConflict) {
        let row = conflict.sourceObject
        let changed = Set(updates[row]?.toOnes.map(\.slot) ?? [])
        // Another context has already deleted the row.
        let isDone = deletions.contains(row)
        updates[row] = nil
        deletions[row] = nil
        // A row that was never read cannot be inserted again.
        guard !isDone, policy.contextPrevails, let insertion = conflict.insertionAnew() else {
            forget(row)
            return note(.forget(row))
        }
        insertions[row] = insertion
        note(.insertAnew(row))
        for (slot, inverse) in model[row.entity].pairings(in: model) {
            guard let partner = insertion.toOnes[slot], !model.isSame(partner, as: row), !insertions.contains(partner)
            else { continue }
            let present = destination(of: partner, inverse)
            // A pair that the context itself created is kept.
            if changed.contains(slot), model.isSame(present, as: row) { continue }
            if exists(partner), present == nil || model.isSame(present, as: row) {
                lead(partner, by: inverse, to: row)
            } else if !deletions.contains(partner) {
                // The destination now has another partner, or was deleted.
                lead(row, by: slot, to: nil)
            }
        }
    }
}

extension SaveRequest.Update {
    /// Drops the changes of properties that were also changed in the store.
    fileprivate mutating func giveWay(to persisted: RowSnapshot, from cached: RowSnapshot?) {
        guard let cached else { return }
        for slot in persisted.attributes.indices where persisted.attributes[slot] != cached.attributes[slot] {
            attributes[slot] = nil
        }
        toOnes.removeAll { persisted.toOnes[$0.slot] != cached.toOnes[$0.slot] }
    }

    /// Adds every stored property that the object did not change, with the value that the context read, so that the
    /// object replaces the whole row.
    ///
    /// External content that was never read is left out: it is either unchanged in the store or no longer exists.
    fileprivate mutating func replaceAll(
        by cached: RowSnapshot?, over persisted: RowSnapshot, _ entity: CompiledEntity
    ) {
        guard let cached else { return }
        for (slot, attribute) in entity.attributes.enumerated() where attributes[slot] == nil {
            guard !attribute.isTransient, attribute.derivation == nil,
                case .value(let value) = cached.attributes[slot]
            else { continue }
            attributes[slot] = value
        }
        let changed = Set(toOnes.map(\.slot))
        for (slot, relationship) in entity.relationships.enumerated()
        where !relationship.isToMany && !relationship.isTransient && !changed.contains(slot) {
            toOnes.append((slot, cached.toOnes[slot]))
        }
    }
}

extension MergeConflict {
    /// Returns an insertion of the object as a new row under its previous key; nil unless all of its values are known.
    fileprivate func insertionAnew() -> SaveRequest.Insertion? {
        guard let objectSnapshot else { return nil }
        var values: [AttributeValue] = []
        for case .value(let value) in objectSnapshot.attributes { values.append(value) }
        guard values.count == objectSnapshot.attributes.count else { return nil }
        return SaveRequest.Insertion(
            row: sourceObject, attributes: values, toOnes: objectSnapshot.toOnes, lostVersion: oldVersionNumber)
    }
}
