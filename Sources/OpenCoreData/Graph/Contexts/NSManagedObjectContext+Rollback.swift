import Foundation

extension NSManagedObjectContext {
    /// Discards all unsaved changes. See ``rollback()``.
    final func rollBackChanges() {
        forgetSteps()
        let inserted = insertedList.objects
        let others = updatedList.objects + deletedList.objects
        let isObserved = isObserved
        let announced = isObserved ? inserted.filter { !$0.status.contains(.fresh) } : []
        let pending = takePendingEvent(isObserved: isObserved)
        insertedList.removeAll()
        updatedList.removeAll()
        deletedList.removeAll()
        forgetMergedDeletions()
        saving.forgetStores()
        unmarked = UnmarkedObjects()
        for object in inserted {
            identities[temporaryKey(of: object)] = nil
            object.detach()
        }
        for object in others {
            object.status.subtract([.updated, .deleted])
            object.dropChanges()
        }
        faulting.resetFailure()
        forgetRelationshipsOfUnchangedObjects()
        forgetReadAhead(rowsStand: true)
        for object in others { object.awake(fromSnapshotEvents: .rollback) }
        if isObserved { announceRollback(of: pending, discarded: announced, restored: others) }
    }

    /// Forgets the relationships of unchanged objects. They were read while other objects were deleted, and omit those.
    final func forgetRelationshipsOfUnchangedObjects() {
        for object in identities.objects where !object.hasChanges { object.relationships = [] }
    }

    /// Discards everything. See ``reset()``.
    final func resetObjects() {
        forgetSteps()
        saving.forgetAllLost()
        let changed = hasChanges ? insertedList.objects + updatedList.objects + deletedList.objects : []
        let ids = !identities.isEmpty && isObserved ? identities.objects.map(\.objectID) : nil
        if !pendingEvent.isEmpty { pendingEvent = PendingEvent() }
        insertedList.removeAll()
        updatedList.removeAll()
        deletedList.removeAll()
        forgetMergedDeletions()
        saving.forgetStores()
        unmarked = UnmarkedObjects()
        for object in changed { object.detach() }
        var identities = identities
        self.identities.removeAll()
        identities.drain { $0.detach() }
        hasNamedObjects = false
        // No row of this context names an object by a temporary id any more.
        nesting.forgetPermanentIDs()
        faulting.resetFailure()
        transactions.endPinned()
        interruption.clear()
        forgetReadAhead()
        guard let ids else { return }
        var event = ContextEvent()
        event.invalidatedAll = ids
        announce(event)
    }

    /// Causes an object to be read again. See ``refresh(_:mergeChanges:)``.
    final func refreshObject(_ object: NSManagedObject, mergeChanges flag: Bool) {
        guard object.context === self, !object.objectID.isTemporaryID || nesting.parent != nil else { return }
        if case .none = object.snapshot { return }
        forgetReadAhead()
        guard flag, object.hasChanges else {
            updatedList.remove(object)
            deletedList.remove(object)
            object.status.subtract([.updated, .deleted, .inaccessible])
            object.turnIntoFault()
            noteRefresh(of: object)
            return
        }
        do {
            if let fresh = try readRow(of: object, hint: nil) {
                object.replaceSnapshot(fresh)
                object.forgetEqualAttributes()
                object.forgetEqualDestinations()
                object.awake()
            }
        } catch {
            noteReadError(error)
        }
        object.forgetReadRelationships()
        object.awake(fromSnapshotEvents: .refresh)
        noteRefresh(of: object)
    }

    /// Refreshes all registered objects. See ``refreshAllObjects()``.
    final func refreshObjects() {
        forgetReadAhead()
        for object in identities.objects { refreshObject(object, mergeChanges: true) }
    }
}
