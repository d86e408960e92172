import Foundation

/// The changes of a context's objects in one event, by kind. An object is in one of the lists.
struct ContextEvent {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    var invalidated: [NSManagedObject] = []
    /// The ids of all objects, if they have left the context.
    var invalidatedAll: [NSManagedObjectID]?
    /// The ids of rows that were merged, whether or not the context has objects for them.
    var merged: [NSManagedObjectID] = []
    /// The objects that a save has inserted: their keys have changed, but not their values.
    var written: [NSManagedObject] = []

    init() {}

    /// Sorts the objects of an event by what has become of them.
    init(_ pending: PendingEvent) {
        var seen = Set<ObjectIdentifier>()
        for object in pending.inserted
        where !object.status.contains(.gone) && seen.insert(ObjectIdentifier(object)).inserted {
            inserted.append(object)
        }
        for object in pending.deleted where !object.exists && seen.insert(ObjectIdentifier(object)).inserted {
            deleted.append(object)
            object.status.insert(.deletionPosted)
        }
        for object in [pending.changed, pending.refreshed].joined()
        where object.exists && seen.insert(ObjectIdentifier(object)).inserted {
            if object.status.contains(.deletionPosted) {
                object.status.remove(.deletionPosted)
                inserted.append(object)
            } else if object.hasChanges {
                updated.append(object)
            } else {
                // Its changes were discarded or saved since.
                refreshed.append(object)
            }
        }
    }

    /// Whether objects have changed. A save alone changes none.
    var hasChangedObjects: Bool {
        invalidatedAll != nil
            || ![inserted, updated, deleted, refreshed, invalidated].allSatisfy(\.isEmpty)
    }

    /// The user info of a notification.
    var userInfo: [AnyHashable: Any] {
        var information: [AnyHashable: Any] = [:]
        for (key, objects) in [
            (NSInsertedObjectsKey, inserted), (NSUpdatedObjectsKey, updated), (NSDeletedObjectsKey, deleted),
            (NSRefreshedObjectsKey, refreshed), (NSInvalidatedObjectsKey, invalidated),
        ] where !objects.isEmpty {
            information[key] = Set(objects)
        }
        if let invalidatedAll { information[NSInvalidatedAllObjectsKey] = invalidatedAll }
        return information
    }
}

/// An object that follows the changes of a context, without a notification.
protocol ContextObserver: AnyObject {
    /// Called like an observer of the notification about changed objects, before it.
    func contextDidChange(_ event: ContextEvent)
}
