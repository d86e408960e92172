import Foundation

/// The kinds of change of a save, by the keys of its notifications. Mapping the values of an existing dictionary is
/// faster than creating a new one, because no key is hashed or compared.
///
/// nonisolated(unsafe): the keys are strings, and never change.
private enum SaveKeys {
    enum Change { case inserted, updated, deleted, refreshed }

    /// The key of the token of the save's transactions in the histories of its stores. Apple's headers do not name it.
    static let changeToken = "newChangeToken"

    // Unsafe only for the compiler, because `AnyHashable` is not sendable: both are constants, whose keys are strings.
    nonisolated(unsafe) static let objects: [AnyHashable: Change] = [
        NSInsertedObjectsKey: .inserted, NSUpdatedObjectsKey: .updated, NSDeletedObjectsKey: .deleted,
        NSRefreshedObjectsKey: .refreshed,
    ]
    nonisolated(unsafe) static let ids: [AnyHashable: Change] = [
        NSInsertedObjectIDsKey: .inserted, NSUpdatedObjectIDsKey: .updated, NSDeletedObjectIDsKey: .deleted,
        NSRefreshedObjectIDsKey: .refreshed,
    ]
}

extension NSManagedObjectContext {
    /// Posts the notifications of a save, and passes the changes on to the coordinator.
    ///
    /// - Parameter transactions: The numbers of the save's transactions in the histories of stores.
    final func announceSave(
        inserted: ObjectList, updated: ObjectList, refreshed: [NSManagedObjectID], deleted: ObjectList,
        transactions: [String: Int64], _ coordinator: NSPersistentStoreCoordinator
    ) {
        let ids = SavedIDs(
            inserted: inserted.map { $0.objectID }, updated: updated.map { $0.objectID },
            refreshed: refreshed, deleted: deleted.map { $0.objectID })
        func information() -> [AnyHashable: Any] {
            var information: [AnyHashable: Any] = SaveKeys.objects.mapValues { change in
                switch change {
                case .inserted: Set(inserted)
                case .updated: Set(updated)
                case .deleted: Set(deleted)
                case .refreshed: Set(refreshed.compactMap { knownObject(for: $0) })
                }
            }
            information[NSManagedObjectContextQueryGenerationKey] = NSQueryGenerationToken.afterSave()
            if !transactions.isEmpty {
                information[SaveKeys.changeToken] = NSPersistentHistoryToken(transactions)
            }
            return information
        }
        post(.didSave, userInfo: information())
        post(
            .didSaveIDs,
            userInfo: SaveKeys.ids.mapValues { change in
                switch change {
                case .inserted: Set(ids.inserted)
                case .updated: Set(ids.updated)
                case .deleted: Set(ids.deleted)
                case .refreshed: Set(ids.refreshed)
                }
            })
        if let parent = nesting.parent {
            parent.passOnToChildren(ids, from: self)
        } else {
            coordinator.passOn(ids, from: self)
        }
        passOnToChildren(ids, from: self)
        if !observers.isEmpty, !inserted.isEmpty {
            var event = ContextEvent()
            event.written = inserted.objects
            announce(event)
        }
        // Values that the store has computed, or that a merge policy has chosen.
        processEvents()
    }

    /// Merges the changes of a save. See ``mergeChanges(fromContextDidSave:)``.
    final func mergeSave(_ notification: Notification) {
        func ids(_ objects: String, _ identities: String) -> [NSManagedObjectID] {
            if let set = notification.userInfo?[identities] as? Set<NSManagedObjectID> { return Array(set) }
            return (notification.userInfo?[objects] as? Set<NSManagedObject> ?? []).map(\.objectID)
        }
        merge(
            SavedIDs(
                inserted: ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
                updated: ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey),
                refreshed: ids(NSRefreshedObjectsKey, NSRefreshedObjectIDsKey),
                deleted: ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)))
    }

    /// Merges changes that are identified by ids or URIs.
    ///
    /// - Parameters:
    ///   - changeNotificationData: Arrays or sets of ids or URIs under the keys of a save's notification.
    ///   - contexts: The contexts to merge into.
    public static func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            func ids(_ keys: String...) -> [NSManagedObjectID] {
                keys.flatMap { key -> [Any] in
                    let value = changeNotificationData[key]
                    return (value as? [Any]) ?? (value as? NSSet)?.allObjects ?? []
                }.compactMap { element in
                    if let id = element as? NSManagedObjectID { return id }
                    guard let url = element as? URL else { return nil }
                    return context.coordinator?.managedObjectID(forURIRepresentation: url)
                }
            }
            let saved = SavedIDs(
                inserted: ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
                updated: ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey),
                refreshed: ids(
                    NSRefreshedObjectsKey, NSRefreshedObjectIDsKey, NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey),
                deleted: ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey))
            context.run { context.merge(saved) }
        }
    }

    final func merge(_ ids: SavedIDs) {
        // The ids of a save of the parent are permanent.
        adoptPromotions()
        processEvents()
        forgetMergedDeletions()
        transactions.endPinned()
        forgetReadAhead()
        var hasRefreshed = false
        var deleted: [NSManagedObject] = []
        for id in ids.inserted + ids.updated + ids.refreshed {
            guard let object = knownObject(for: id) else { continue }
            refreshObject(object, mergeChanges: true)
            hasRefreshed = true
        }
        for id in ids.deleted {
            guard let object = knownObject(for: id), let (row, origin) = locate(id) else { continue }
            // The deletion was undone since: the next save inserts the object again.
            if object.status.contains(.inserted) { continue }
            identities[identityKey(of: row, in: origin)] = nil
            updatedList.remove(object)
            deletedList.remove(object)
            object.dropChanges()
            object.status.subtract([.deleted, .updated])
            object.status.insert([.gone, .deletionMerged])
            deleted.append(object)
        }
        mergedDeletions = deleted
        if !deleted.isEmpty {
            for object in insertedList.objects + updatedList.objects { object.forgetGonePartners() }
        }
        guard hasRefreshed || !deleted.isEmpty || !ids.inserted.isEmpty || isObserved else { return }
        // Relationships that were read may refer to objects that have moved or been deleted.
        for object in identities.objects { object.forgetReadRelationships() }
        announceMerge(ids, deleted: deleted)
    }
}
