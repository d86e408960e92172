import SwormPredicates
import SwormStore

extension NSManagedObject {
    /// Makes the current values the committed ones.
    ///
    /// - Parameter written: The new version of the row, or nil if it was not written.
    final func commit(_ saved: SavedObjects, version written: Int64?) {
        guard case .awakened(let awakened) = snapshot else { return commitRow(saved, version: written) }
        // The values that `awakeFromFetch` has set are not written. The object keeps those that were not changed since.
        var values = awakened.values
        changedAttributes.forEach { values[$0] = nil }
        snapshot = awakened.row
        commitRow(saved, version: written)
        if !values.isEmpty { snapshot = .awakened(AwakenedRow(snapshot.stored, values: values)) }
    }

    private func commitRow(_ saved: SavedObjects, version written: Int64?) {
        let wasInserted = status.contains(.inserted)
        if let written, case .row = snapshot, let patched = PatchedRow(self, version: written) {
            snapshot = .patched(patched)
            edits = SlotValues()
        } else if written != nil || !changedAttributes.isEmpty || !edits.isEmpty {
            let toOnes = compiledEntity.relationships.indices.map { slot -> RowID? in
                guard !compiledEntity.relationships[slot].isToMany, !compiledEntity.relationships[slot].isTransient
                else { return nil }
                guard case .toOne(let destination) = relationshipState(slot) else { return committedDestination(slot) }
                guard changedRelationships.contains(slot) || wasInserted else { return committedDestination(slot) }
                return destination.flatMap { $0.status.isDisjoint(with: [.deleted, .gone]) ? $0.objectID.row : nil }
            }
            var attributes = presentAttributes
            // Values that were assigned to derived attributes are not saved. The database computes these attributes.
            for slot in compiledEntity.derivedSlots {
                attributes[slot] = wasInserted ? .null : committedAttribute(slot)
            }
            let version = written ?? snapshot.version ?? 1
            snapshot = .values(CommittedRow(version: version, attributes: attributes, toOnes: toOnes))
            edits = SlotValues()
        }
        changedAttributes.removeAll()
        changedRelationships.removeAll()
        refusals = []
        status.subtract([.inserted, .updated, .noted, .fresh, .wasDirty])
        if relationships.isEmpty { return }
        let keys = saved.orderKeys[ObjectIdentifier(self)] ?? [:]
        for slot in relationships.indices {
            switch relationships[slot] {
            case .toMany where saved.isRearranged(self, slot: slot): relationships[slot] = .untouched
            case .toMany(let members): members.commit(orderKeys: keys[slot] ?? [:])
            case .toOne(let destination?) where destination.status.contains(.gone): relationships[slot] = .untouched
            case .toOne, .untouched: continue
            }
        }
    }

    /// Adopts values that the store has computed.
    final func take(derived values: [Int: AttributeValue]) {
        switch snapshot.stored {
        case .values(var committed):
            for (slot, value) in values where committed.attributes.indices.contains(slot) {
                committed.attributes[slot] = value
            }
            snapshot = snapshot.replacingRow(by: .values(committed), forgetting: Array(values.keys))
        // The rows of a fetch are shared and must not change, so the object reads its own row again.
        case .row where !hasChanges, .patched where !hasChanges, .unfired:
            snapshot = .fault(nil)
            // By then, the relationships of the row may have other destinations.
            forgetReadRelationships()
        case .row, .patched, .fault, .none, .awakened: break
        }
    }
}
