import SwormPredicates
import SwormStore

// The effects of a save on the objects.
extension SaveOperation {
    /// Makes the written state the objects' committed state, and notifies observers.
    ///
    /// The order matters. The lists are emptied first, because `didSave` and observers may make changes, which belong
    /// to the next save. Inserted objects have their permanent keys, and deleted objects are marked as deleted, before
    /// any object is committed: a committed row contains the keys of its destinations, except those of deleted objects.
    func finish(_ saved: SavedObjects, isPartial: Bool = false) throws {
        var (inserted, updated, deleted) = (context.insertedList, context.updatedList, context.deletedList)
        if isPartial {
            func isSaved(_ object: NSManagedObject) throws -> Bool {
                saved.contains(try context.originForSaving(object, in: coordinator))
            }
            inserted = ObjectList(listing: try inserted.filter(isSaved))
            updated = ObjectList(listing: try updated.filter(isSaved))
            deleted = ObjectList(listing: try deleted.filter(isSaved))
            for object in inserted { context.insertedList.remove(object) }
            for object in updated { context.updatedList.remove(object) }
            for object in deleted { context.deletedList.remove(object) }
        } else {
            if context.isObserved { context.keepPendingEvent() } else { context.pendingEvent = PendingEvent() }
            context.insertedList.removeAll()
            context.updatedList.removeAll()
            context.deletedList.removeAll()
            context.saving.forgetStores()
            context.unmarked = UnmarkedObjects()
        }
        context.forgetReadAhead()
        promote(saved)
        for object in deleted {
            context.identities[context.identityKey(of: object.objectID.row, in: object.objectID.origin)] = nil
            object.status.subtract([.deleted, .updated])
            object.status.insert(.gone)
        }
        for object in inserted { object.commit(saved, version: saved.version(of: object) ?? 1) }
        context.saving.forgetLost(inserted.objects)
        for part in saved.parts {
            for (object, version) in zip(part.written, part.versions) { object.commit(saved, version: version) }
        }
        // The other objects have no changes in their rows, only in other relationships or in transient values.
        for object in updated where object.status.contains(.updated) { object.commit(saved, version: nil) }
        let refreshed = takeDerived(saved, besides: inserted.objects + updated.objects)
        forgetReferences(to: deleted.objects)
        // Only an overridden `didSave` has an effect.
        for list in [inserted, updated] where list.hasSubclasses {
            for object in list { object.didSave() }
        }
        if deleted.hasSubclasses {
            for object in deleted {
                object.status.insert(.deletionSaved)
                object.didSave()
                object.status.remove(.deletionSaved)
            }
        }
        let transactions = saved.transactions
        func announce() {
            context.announceSave(
                inserted: inserted, updated: updated, refreshed: refreshed, deleted: deleted,
                transactions: transactions, coordinator)
            for object in deleted { object.detach() }
        }
        // Observers may use the context, so no part of it may be in use when they are called.
        if context.transactions.isEmpty { return announce() }
        context.transactions.announce { [weak context, coordinator] in
            context?.announceSave(
                inserted: inserted, updated: updated, refreshed: refreshed, deleted: deleted,
                transactions: transactions, coordinator)
            for object in deleted { object.detach() }
        }
    }

    /// Assigns the keys of their rows to inserted objects.
    private func promote(_ saved: SavedObjects) {
        for part in saved.parts {
            // Some objects may already have permanent keys.
            let objects = part.inserted.filter { part.keys[$0.objectID.key] != nil }
            var start = 0
            while start < objects.count {
                // Objects of one hierarchy are usually adjacent, and usually all of them have no row yet.
                let first = objects[start]
                let (root, own) = (first.compiledEntity.root, first.objectID.origin)
                let end =
                    objects[start...].firstIndex { $0.compiledEntity.root != root || $0.objectID.origin !== own }
                    ?? objects.count
                let areOut = context.identities.removeAll(
                    inGroupOf: context.temporaryKey(of: first), expecting: end - start)
                context.identities.reserve(
                    end - start, inGroupOf: context.identityKey(of: first.objectID.row, in: part.origin))
                for object in objects[start..<end] {
                    guard let key = part.keys[object.objectID.key] else { continue }
                    if !areOut { context.identities[context.temporaryKey(of: object)] = nil }
                    context.promote(object, to: key, origin: part.origin)
                }
                start = end
            }
        }
    }

    /// Adopts the values that the store has computed during a save.
    ///
    /// - Parameter written: The objects that the save has written, and that are known to have changed.
    /// - Returns: The ids of the other objects whose values have changed.
    private func takeDerived(_ saved: SavedObjects, besides written: @autoclosure () -> [NSManagedObject])
        -> [NSManagedObjectID]
    {
        guard saved.parts.contains(where: { !$0.derived.isEmpty }) else { return [] }
        let known = Set(written().map { ObjectIdentifier($0) })
        var refreshed: [NSManagedObjectID] = []
        for part in saved.parts {
            for (row, values) in part.derived {
                guard let object = context.identities[context.identityKey(of: row, in: part.origin)] else {
                    let entity = part.origin.compiled[row.entity]
                    refreshed.append(NSManagedObjectID(entity: entity, key: row.key, origin: part.origin))
                    continue
                }
                if !known.contains(ObjectIdentifier(object)) { refreshed.append(object.objectID) }
                object.take(derived: values)
                context.noteRefresh(of: object)
            }
        }
        return refreshed
    }

    /// Removes objects whose deletion was saved from relationships that no rule has cleared: relationships without an
    /// inverse, and those whose inverse has the rule "no action".
    private func forgetReferences(to deleted: [NSManagedObject]) {
        guard let model = context.compiledModel, !deleted.isEmpty else { return }
        let numbers = Set(deleted.map(\.compiledEntity.number))
        func stays(_ relationship: CompiledRelationship) -> Bool {
            let destination = model[relationship.destination]
            guard numbers.contains(where: destination.family.contains) else { return false }
            return relationship.inverse.map { destination.relationships[$0].deleteRule == .noActionDeleteRule } ?? true
        }
        let slots = model.entities.map { entity in
            entity.relationships.indices.filter { entity.relationships[$0].isToMany && stays(entity.relationships[$0]) }
        }
        guard slots.contains(where: { !$0.isEmpty }) else { return }
        for object in context.identities.objects where model.entities.indices.contains(object.compiledEntity.number - 1)
        {
            for slot in slots[object.compiledEntity.number - 1] {
                if case .toMany(let members) = object.relationshipState(slot) { members.dropGone() }
            }
        }
    }
}
