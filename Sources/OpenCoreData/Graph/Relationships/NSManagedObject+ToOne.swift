import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

// Relationships in both directions. A change on one side immediately updates the other side.
extension NSManagedObject {
    final func relationshipState(_ slot: Int) -> RelationshipState {
        slot < relationships.count ? relationships[slot] : .untouched
    }

    final func setRelationshipState(_ slot: Int, to state: RelationshipState) {
        if relationships.isEmpty {
            relationships = Array(repeating: .untouched, count: compiledEntity.relationships.count)
        }
        relationships[slot] = state
    }

    /// Returns the object of a to-one relationship.
    package final func destination(_ slot: Int) -> NSManagedObject? {
        if case .toOne(let object) = relationshipState(slot) {
            return object.flatMap { canLead(slot, to: $0) ? $0 : nil }
        }
        guard !compiledEntity.relationships[slot].isTransient, let row = committedDestination(slot), let context else {
            return nil
        }
        var hint: FaultHint?
        if let (group, index) = snapshot.fetched { hint = .destination(group, row: index, slot: slot) }
        let origin =
            objectID.isTemporaryID
            ? context.operations.originOfDestination(row, of: self, slot: slot) : objectID.origin
        let object = context.object(for: row, origin: origin, hint: hint)
        setRelationshipState(slot, to: .toOne(object))
        return canLead(slot, to: object) ? object : nil
    }

    /// Returns whether the row has a key that no object of the relationship can have.
    private func holdsStrayKey(_ slot: Int) -> Bool {
        if case .toOne(let object?) = relationshipState(slot) { return !canLead(slot, to: object) }
        guard let (group, row) = snapshot.fetched else { return false }
        let cell = group.shape.cells(ofToOne: slot, in: compiledEntity.number).key
        return cell >= 0 && !group.buffer.isNull(row: row, cell: cell) && group.buffer.int64(row: row, cell: cell) < 1
    }

    /// Returns whether an object has an entity that a relationship can refer to. A damaged row can refer to another
    /// entity of the same table, which has other properties.
    private func canLead(_ slot: Int, to object: NSManagedObject) -> Bool {
        objectID.origin.compiled[compiledEntity.relationships[slot].destination].family.contains(
            object.compiledEntity.number)
    }

    /// Returns the identity of a to-one relationship's destination in the store.
    final func committedDestination(_ slot: Int) -> RowID? {
        switch snapshot.stored {
        case .none: return nil
        case .fault: return fire() ? committedDestination(slot) : nil
        case .values(let committed):
            guard let row = committed.toOnes[slot], row.key < 0, let context else { return committed.toOnes[slot] }
            return context.resolved(row, in: objectID.origin).row
        case .row, .patched, .unfired, .awakened:
            guard let (group, row) = snapshot.fetched else { return nil }
            return group.destination(row: row, slot: slot, entity: compiledEntity, model: objectID.origin.compiled)
        }
    }

    /// Sets a to-one relationship and its inverse.
    ///
    /// - Throws: A ``CoreDataError`` if the object has another entity or context, or can't be changed.
    package final func setDestination(_ slot: Int, to new: NSManagedObject?) throws {
        let relationship = compiledEntity.relationships[slot]
        try requireMutable(key: relationship.name)
        if let new { try requireRelatable(new, by: relationship) }
        if status.contains(.awakening) { return setRelationshipState(slot, to: .toOne(new)) }
        let old = destination(slot)
        // A key without a valid destination can be cleared, too.
        guard old !== new || new == nil && holdsStrayKey(slot) else { return }
        guard let inverse = relationship.inverse else { return assignDestination(slot, to: new) }
        if objectID.origin.compiled[relationship.destination].relationships[inverse].isToMany {
            assignDestination(slot, to: new)
            old?.noteRemoved(inverse, object: self)
            new?.noteAdded(inverse, object: self)
        } else {
            // This side is set last, because the object may have referred to itself.
            old?.assignDestination(inverse, to: nil)
            if let previous = new?.destination(inverse), previous !== self { previous.assignDestination(slot, to: nil) }
            assignDestination(slot, to: new)
            new?.assignDestination(inverse, to: self)
        }
    }

    /// Sets this side only.
    final func assignDestination(_ slot: Int, to new: NSManagedObject?) {
        context?.recorder?.noteDestination(slot, of: self)
        let committed = committedDestination(slot)
        let isCleared = new == nil && holdsStrayKey(slot)
        noteChange()
        setRelationshipState(slot, to: .toOne(new))
        if !status.contains(.inserted), new?.objectID.row == committed, !isCleared {
            changedRelationships.remove(slot)
        } else {
            changedRelationships.insert(slot)
        }
        markUpdated()
    }

    /// Forgets unsaved changes of to-one relationships to the destinations in the store.
    final func forgetEqualDestinations() {
        for slot in relationships.indices where changedRelationships.contains(slot) {
            guard case .toOne(let object) = relationships[slot], object?.objectID.row == committedDestination(slot),
                object != nil || !holdsStrayKey(slot)
            else { continue }
            changedRelationships.remove(slot)
        }
    }

    /// Throws an error if an object can't be the destination of a relationship of this object.
    final func requireRelatable(_ other: NSManagedObject, by relationship: CompiledRelationship) throws {
        func refusal(_ reason: String) -> CoreDataError {
            CoreDataError(
                NSManagedObjectValidationError,
                "Cannot relate \(compiledEntity.name) \(objectID) to \(other.compiledEntity.name) \(other.objectID) by '\(relationship.name)': \(reason)",
                entity: compiledEntity.name, key: relationship.name,
                objects: [objectID.reference, other.objectID.reference])
        }
        guard other.context === context else { throw refusal("the objects belong to different contexts.") }
        if other.status.contains(.gone) { throw refusal("the other object was deleted.") }
        // The other object's side of the relationship also changes.
        try other.load()
        let destination = objectID.origin.compiled[relationship.destination]
        guard destination.family.contains(other.compiledEntity.number) else {
            throw refusal("the destination of the relationship is \(destination.name).")
        }
    }
}

/// The origin of a fault. When the fault fires, its neighbors are read with it.
enum FaultHint {
    /// The fault is the destination of a to-one relationship of a fetched row.
    case destination(RowSet, row: Int, slot: Int)
    /// The fault was found, together with other objects of the same hierarchy, as a member of a to-many relationship or
    /// by a fetch that reads in batches.
    case member(MemberKeys, index: Int)
    /// The fault was found in the parent of its context, whose object has its row or a hint of its own.
    case above(NSManagedObject)

    /// Returns the row whose to-one relationship refers to the fault, and the relationship; nil if no such row is
    /// known.
    func source(
        _ model: CompiledModel
    ) -> (group: RowSet, row: Int, compiledEntity: CompiledEntity, place: RelationshipLocation)? {
        guard case .destination(let group, let row, let slot) = self,
            let compiledEntity = model.entity(numbered: Int64(group.entity(row: row))),
            group.shape.covers(compiledEntity.number),
            compiledEntity.relationships.indices.contains(slot)
        else { return nil }
        return (group, row, compiledEntity, compiledEntity.place(ofRelationship: slot))
    }
}

/// The keys of objects that were found together, as members of relationships or by a fetch.
final class MemberKeys {
    let keys: [Int64]
    /// The number of the relationship's destination entity.
    let entity: Int
    /// The number of objects that are read at a time, and the relationships that are read with them.
    let reading: FetchReading

    init(keys: [Int64], entity: Int, reading: FetchReading = FetchReading(batchSize: RowSet.batchSize)) {
        self.keys = keys
        self.entity = entity
        self.reading = reading
    }

    /// Returns the hint for the fault at an index.
    func hint(at place: Int) -> FaultHint { .member(self, index: place / reading.batchSize * reading.batchSize) }
}

extension RowSet {
    /// Returns the identity of the destination of a to-one relationship of a row.
    ///
    /// The column with the entity is ignored if the relationship cannot refer to that entity: the row of the
    /// destination is more reliable. A key below 1 has no destination.
    func destination(row: Int, slot: Int, entity: CompiledEntity, model: CompiledModel) -> RowID? {
        let cells = shape.cells(ofToOne: slot, in: entity.number)
        guard cells.key >= 0, !buffer.isNull(row: row, cell: cells.key) else { return nil }
        let key = buffer.int64(row: row, cell: cells.key)
        guard key > 0 else { return nil }
        let declared = entity.relationships[slot].destination
        guard cells.entity >= 0, !buffer.isNull(row: row, cell: cells.entity),
            let found = model.entity(numbered: buffer.int64(row: row, cell: cells.entity)),
            model[declared].family.contains(found.number)
        else { return RowID(entity: declared, key: key) }
        return RowID(entity: found.number, key: key)
    }
}
