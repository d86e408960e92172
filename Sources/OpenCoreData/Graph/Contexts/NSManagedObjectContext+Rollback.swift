import Foundation

extension NSManagedObjectContext {
    /// Discards all unsaved changes: inserted objects are let go, changed ones have their stored values again, deleted ones
    /// stay.
    public func rollback() {
        let inserted = insertedList.objects
        let others = updatedList.objects + deletedList.objects
        insertedList.removeAll()
        updatedList.removeAll()
        deletedList.removeAll()
        assignedStores.removeAll()
        for object in inserted {
            identities[temporaryKey(of: object)] = nil
            object.detach()
        }
        for object in others {
            object.status.subtract([.updated, .deleted])
            object.dropChanges()
        }
        readError = nil
        forgetRelationshipsOfUnchangedObjects()
        forgetReadAhead(rowsStand: true)
        for object in others { object.awake(fromSnapshotEvents: .rollback) }
    }

    /// What unchanged objects know of their relationships was read while others were deleted, and leaves those out.
    final func forgetRelationshipsOfUnchangedObjects() {
        for object in identities.objects where !object.hasChanges { object.relationships = [] }
    }

    /// Lets go of everything: all objects leave the context, unsaved changes are lost.
    public func reset() {
        let changed = hasChanges ? insertedList.objects + updatedList.objects + deletedList.objects : []
        insertedList.removeAll()
        updatedList.removeAll()
        deletedList.removeAll()
        assignedStores.removeAll()
        for object in changed { object.detach() }
        var identities = identities
        self.identities.removeAll()
        identities.drain { $0.detach() }
        hasNamedObjects = false
        readError = nil
        endPinnedViews()
        interruption.clear()
        forgetReadAhead()
    }

    /// Reads an object anew when it is next used.
    ///
    /// - Parameters:
    ///   - object: An object of this context.
    ///   - flag: Whether its unsaved changes stay. If not, the object becomes a fault and they are lost.
    public func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        guard object.context === self, !object.objectID.isTemporaryID else { return }
        if case .none = object.snapshot { return }
        forgetReadAhead()
        guard flag, object.hasChanges else {
            updatedList.remove(object)
            deletedList.remove(object)
            object.status.subtract([.updated, .deleted, .inaccessible])
            object.turnIntoFault()
            return
        }
        do {
            if let fresh = try readRow(of: object, hint: nil) {
                object.replaceSnapshot(fresh)
                object.awakeFromFetch()
            }
        } catch {
            noteReadError(error)
        }
        object.forgetReadRelationships()
        object.awake(fromSnapshotEvents: .refresh)
    }

    /// Refreshes every object that the context knows. Unsaved changes stay.
    public func refreshAllObjects() {
        forgetReadAhead()
        for object in identities.objects { refresh(object, mergeChanges: true) }
    }
}
