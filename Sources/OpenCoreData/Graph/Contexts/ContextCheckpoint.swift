import SwormPredicates
import SwormStore

/// The unsaved state of a context at one moment, to which the context can be restored.
package struct ContextCheckpoint {
    fileprivate struct State {
        let object: NSManagedObject
        let id: NSManagedObjectID
        let snapshot: ObjectSnapshot
        let edits: SlotValues
        let changedAttributes: SlotSet
        let relationships: [NSManagedObject.RelationshipState]
        let changedRelationships: SlotSet
        let status: ObjectStatus
        let refusals: [CoreDataError]
    }

    fileprivate var states: [State]
    /// The objects of the states, once a state was added to them.
    fileprivate var known: Set<ObjectIdentifier>?
    fileprivate let inserted: ObjectList
    fileprivate let updated: ObjectList
    fileprivate let deleted: ObjectList
    fileprivate let assignedStores: [ObjectIdentifier: NSPersistentStore]
    fileprivate let failure: (any Error)?

    /// Adds the state of unchanged objects that are about to be changed or discarded. The recorded state of an object
    /// is not replaced.
    mutating func note(_ objects: [NSManagedObject]) {
        if objects.isEmpty { return }
        var known = self.known ?? Set(states.map { ObjectIdentifier($0.object) })
        // The set is not copied when it has one owner.
        self.known = nil
        for object in objects where !object.hasChanges && known.insert(ObjectIdentifier(object)).inserted {
            states.append(State(object))
        }
        self.known = known
    }
}

extension NSManagedObjectContext {
    /// Records the unsaved state.
    ///
    /// - Complexity: O(*n*) in the number of objects with unsaved changes.
    package final func checkpoint() -> ContextCheckpoint {
        let dirty = insertedList.objects + updatedList.objects + deletedList.objects
        return ContextCheckpoint(
            states: dirty.map(ContextCheckpoint.State.init), inserted: insertedList, updated: updatedList,
            deleted: deletedList, assignedStores: saving.assignedStores, failure: faulting.failure)
    }

    /// Restores the unsaved state of a checkpoint of this context. Nothing may have been saved since the checkpoint.
    package final func restore(_ checkpoint: ContextCheckpoint) {
        let known = Set(checkpoint.states.map { ObjectIdentifier($0.object) })
        let isObserved = isObserved
        let fresh = isObserved ? insertedList.filter { $0.status.contains(.fresh) } : []
        let pending = takePendingEvent(isObserved: isObserved)
        let isFresh = Set(fresh.map(ObjectIdentifier.init))
        for object in insertedList.objects where !known.contains(ObjectIdentifier(object)) {
            if isObserved, !isFresh.contains(ObjectIdentifier(object)) { pendingEvent.noteDeletion(of: object) }
            forgetInserted(object)
        }
        for object in updatedList.objects + deletedList.objects where !known.contains(ObjectIdentifier(object)) {
            object.status.subtract([.updated, .deleted])
            object.dropChanges()
            noteRefresh(of: object)
        }
        insertedList = checkpoint.inserted
        updatedList = checkpoint.updated
        deletedList = checkpoint.deleted
        insertedList.settle()
        updatedList.settle()
        deletedList.settle()
        insertedList.markAll()
        updatedList.markAll()
        deletedList.markAll()
        saving.restoreStores(checkpoint.assignedStores)
        faulting.resetFailure(to: checkpoint.failure)
        // Remove all old identities before entering new ones, because two objects may have swapped their identities.
        for state in checkpoint.states where state.object.objectID !== state.id {
            if identities[temporaryKey(of: state.object)] === state.object {
                identities[temporaryKey(of: state.object)] = nil
            }
        }
        for state in checkpoint.states {
            state.restore()
            // An object that was inserted and then deleted has left the context.
            state.object.context = self
            identities[temporaryKey(of: state.object)] = state.object
            if !state.object.status.contains(.deleted) {
                noteRefresh(of: state.object)
            } else if isObserved, !state.object.status.contains(.deletionPosted) {
                pendingEvent.noteDeletion(of: state.object)
            }
        }
        forgetRelationshipsOfUnchangedObjects()
        forgetReadAhead(rowsStand: true)
        if isObserved { noteRestored(pending, fresh: fresh) }
    }

    /// Notes the objects of an event that was interrupted by a restored state, as far as it still concerns them.
    private final func noteRestored(_ pending: PendingEvent, fresh: [NSManagedObject]) {
        for object in fresh where object.status.contains(.inserted) {
            object.noteInsertion()
            pendingEvent.noteInsertion(of: object)
        }
        for object in pending.deleted { pendingEvent.noteDeletion(of: object) }
        for object in pending.changed + pending.refreshed { pendingEvent.noteRefresh(of: object) }
    }
}

extension ContextCheckpoint.State {
    fileprivate init(_ object: NSManagedObject) {
        self.object = object
        id = object.objectID
        snapshot = object.snapshot
        edits = object.edits
        changedAttributes = object.changedAttributes
        relationships = object.relationships.map {
            if case .toMany(let members) = $0 { return .toMany(ToManyMembers(copying: members)) }
            return $0
        }
        changedRelationships = object.changedRelationships
        status = object.status
        refusals = object.refusals
    }

    fileprivate func restore() {
        if object.objectID !== id {
            object.take(entity: id.compiledEntity)
            object.take(id: id)
        }
        object.snapshot = snapshot
        object.edits = edits
        object.changedAttributes = changedAttributes
        // Copy the members again, because the checkpoint may be restored more than once.
        object.relationships = relationships.map {
            if case .toMany(let members) = $0 { return .toMany(ToManyMembers(copying: members)) }
            return $0
        }
        object.changedRelationships = changedRelationships
        // Which events an object is in does not belong to its state.
        object.status = status.subtracting(.ofEvents).union(object.status.intersection(.deletionPosted))
        object.refusals = refusals
    }
}
