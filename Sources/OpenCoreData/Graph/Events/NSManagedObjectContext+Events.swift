import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Posts the notification about the objects that have changed. See ``processPendingChanges()``.
    final func processEvents() {
        if undoManaging != nil { operations.registerStep() }
        guard hasPendingEvent else { return }
        lock.lock()
        defer { lock.unlock() }
        forgetMergedDeletions()
        // Observers may make changes, which are the next event. The bound stops two observers that undo each other's
        // changes; the rest is processed with the next event.
        for _ in 0..<1000 {
            let isObserved = isObserved
            let pending = takePendingEvent(isObserved: isObserved)
            guard isObserved else { return }
            let outer = announcedEvent
            announcedEvent = AnnouncedEvent(pending)
            announce(ContextEvent(pending))
            announcedEvent = outer
            if !hasPendingEvent { return }
        }
    }

    /// Whether somebody may observe the context's objects.
    final var isObserved: Bool { !observers.isEmpty || ObservedName.objectsDidChange.mayBeObserved }

    final func post(_ name: ObservedName, userInfo information: @autoclosure () -> [AnyHashable: Any]) {
        guard name.mayBeObserved else { return }
        NotificationCenter.default.post(name: name.name, object: self, userInfo: information())
    }

    /// Passes an event to the observers.
    final func announce(_ event: ContextEvent) {
        if !observers.isEmpty {
            for observer in observers.compactMap(\.value) { observer.contextDidChange(event) }
        }
        guard ObservedName.objectsDidChange.mayBeObserved, event.hasChangedObjects else { return }
        followStores()
        post(.objectsDidChange, userInfo: event.userInfo)
    }

    /// Removes the objects whose deletion was merged from the deleted objects.
    final func forgetMergedDeletions() {
        if mergedDeletions.isEmpty { return }
        for object in mergedDeletions { object.status.remove(.deletionMerged) }
        mergedDeletions = []
    }

    // MARK: Observers

    /// A reference to an observer that does not retain it.
    struct WeakObserver {
        weak var value: (any ContextObserver)?
    }

    final func add(_ observer: any ContextObserver) {
        observers.removeAll { $0.value == nil || $0.value === observer }
        observers.append(WeakObserver(value: observer))
        followStores()
    }

    final func remove(_ observer: any ContextObserver) {
        observers.removeAll { $0.value == nil || $0.value === observer }
    }

    /// Makes the coordinator notify the context when a store is removed.
    final func followStores() {
        guard !followsStores, let coordinator else { return }
        followsStores = true
        coordinator.remember(self)
    }

    // MARK: Notes

    final func noteRefresh(of object: NSManagedObject) {
        if isObserved { pendingEvent.noteRefresh(of: object) }
    }

    /// Announces that all unsaved changes were discarded.
    ///
    /// - Parameters:
    ///   - discarded: The inserted objects that have left the context and were announced before.
    ///   - restored: The objects that have their stored values again.
    ///   - pending: The event that was not announced yet.
    final func announceRollback(
        of pending: PendingEvent, discarded: [NSManagedObject], restored: [NSManagedObject]
    ) {
        var event = ContextEvent()
        // Objects that were inserted, announced and deleted before do not come back.
        event.deleted = discarded + pending.deleted.filter { $0.status.contains(.gone) }
        var seen = Set<ObjectIdentifier>()
        for object in restored where seen.insert(ObjectIdentifier(object)).inserted {
            if object.status.contains(.deletionPosted) {
                object.status.remove(.deletionPosted)
                event.inserted.append(object)
            } else {
                event.invalidated.append(object)
            }
        }
        event.refreshed = pending.refreshed.filter { $0.exists && seen.insert(ObjectIdentifier($0)).inserted }
        if event.hasChangedObjects { announce(event) }
    }

    /// Announces that the objects of a store can no longer be read.
    final func announceRemoval(of origin: ObjectOrigin) {
        guard isObserved else { return }
        processEvents()
        var event = ContextEvent()
        event.invalidated = identities.objects.filter { $0.objectID.origin === origin }
        if event.hasChangedObjects { announce(event) }
    }

    /// Announces the merge of other contexts' changes.
    final func announceMerge(_ ids: SavedIDs, deleted: [NSManagedObject]) {
        if isObserved {
            var event = ContextEvent(takePendingEvent(isObserved: true))
            event.deleted += deleted
            event.merged = ids.inserted + ids.updated + ids.refreshed
            if ObservedName.objectsDidChange.mayBeObserved {
                let known = Set(event.inserted + event.updated + event.refreshed)
                event.inserted += ids.inserted.map { objectOrFault(with: $0) }.filter { !known.contains($0) }
            }
            announce(event)
        }
        guard ObservedName.didMergeIDs.mayBeObserved else { return }
        var information: [AnyHashable: Any] = [:]
        for (key, ids) in [
            (NSInsertedObjectIDsKey, ids.inserted), (NSUpdatedObjectIDsKey, ids.updated),
            (NSRefreshedObjectIDsKey, ids.refreshed), (NSDeletedObjectIDsKey, ids.deleted),
        ] where !ids.isEmpty {
            information[key] = Set(ids)
        }
        post(.didMergeIDs, userInfo: information)
    }
}

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

/// The ids of the objects that a save has changed.
struct SavedIDs: Sendable {
    var inserted: [NSManagedObjectID]
    var updated: [NSManagedObjectID]
    /// The objects that the save did not write, but whose derived attributes have changed as a result.
    var refreshed: [NSManagedObjectID]
    var deleted: [NSManagedObjectID]
}

/// An object that follows the changes of a context, without a notification.
protocol ContextObserver: AnyObject {
    /// Called like an observer of the notification about changed objects, before it.
    func contextDidChange(_ event: ContextEvent)
}

/// The event that observers are being notified of.
final class AnnouncedEvent {
    let event: PendingEvent
    // Sets are only made for observers that ask.
    private lazy var inserted = Set(event.inserted.map { ObjectIdentifier($0) })
    private lazy var changed = Set(event.changed.map { ObjectIdentifier($0) })

    init(_ event: PendingEvent) { self.event = event }

    /// Whether an object was inserted or changed in the event.
    func contains(_ object: NSManagedObject) -> Bool {
        isInsertion(of: object) || changed.contains(ObjectIdentifier(object))
    }

    func isInsertion(of object: NSManagedObject) -> Bool { inserted.contains(ObjectIdentifier(object)) }
}
