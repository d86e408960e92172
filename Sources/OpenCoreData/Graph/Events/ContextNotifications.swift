public import Foundation

extension Notification.Name {
    /// Posted before a context saves. The object is the context.
    ///
    /// It is posted once this constant was used in the process.
    public static var NSManagedObjectContextWillSave: Notification.Name { ObservedName.willSave.forObserver }
    /// Posted after a context has saved. The object is the context; the user info contains the objects by kind of
    /// change, under ``NSManagedObjectContextQueryGenerationKey`` the state after the save, and under `newChangeToken` the
    /// ``NSPersistentHistoryToken`` of the save, if a store keeps a history.
    ///
    /// It is posted once this constant was used in the process.
    public static var NSManagedObjectContextDidSave: Notification.Name { ObservedName.didSave.forObserver }
    /// Posted when objects of a context have changed. The object is the context; the user info contains the objects by
    /// kind of change.
    ///
    /// All changes since the last notification are in one notification. It is posted by
    /// ``NSManagedObjectContext/processPendingChanges()``, at the end of `perform` and `performAndWait`, before a save
    /// and before a fetch that includes unsaved changes, and at once when changes are merged or discarded. The user
    /// info has a key for each kind of change that has occurred:
    ///
    /// | key | value |
    /// | --- | --- |
    /// | `NSInsertedObjectsKey` | the set of inserted objects, and of those whose deletion was undone |
    /// | `NSUpdatedObjectsKey` | the set of changed objects |
    /// | `NSDeletedObjectsKey` | the set of deleted objects, and of discarded new objects |
    /// | `NSRefreshedObjectsKey` | the set of objects that were refreshed or merged |
    /// | `NSInvalidatedObjectsKey` | the set of objects that a rollback has restored, or whose store was removed |
    /// | `NSInvalidatedAllObjectsKey` | after a reset, the array of the ids of all objects |
    ///
    /// The notification is posted once this constant was used in the process, because sets of objects are not made for
    /// nobody.
    public static var NSManagedObjectContextObjectsDidChange: Notification.Name {
        ObservedName.objectsDidChange.forObserver
    }
    /// Posted after a context has saved. The object is the context; the user info contains the ids of the objects by
    /// kind of change, and may be used by any thread.
    ///
    /// It is posted once this constant was used in the process.
    public static var NSManagedObjectContextDidSaveObjectIDs: Notification.Name {
        ObservedName.didSaveIDs.forObserver
    }
    /// Posted after a context has merged changes. The object is the context; the user info contains the ids of the
    /// objects by kind of change, and may be used by any thread.
    ///
    /// It is posted once this constant was used in the process.
    public static var NSManagedObjectContextDidMergeChangesObjectIDs: Notification.Name {
        ObservedName.didMergeIDs.forObserver
    }
}

/// The key for the ``NSQueryGenerationToken`` of the state after a save, in the notification of the save.
public let NSManagedObjectContextQueryGenerationKey: String = "newQueryGeneration"
/// The key for the set of inserted objects in a context's notifications.
public let NSInsertedObjectsKey: String = "inserted"
/// The key for the set of updated objects in a context's notifications.
public let NSUpdatedObjectsKey: String = "updated"
/// The key for the set of deleted objects in a context's notifications.
public let NSDeletedObjectsKey: String = "deleted"
/// The key for the set of refreshed objects in a context's notifications.
public let NSRefreshedObjectsKey: String = "refreshed"
/// The key for the set of objects whose values were discarded, in a context's notifications.
public let NSInvalidatedObjectsKey: String = "invalidated"
/// The key that a notification contains if all objects have left the context. The value is an array of their ids.
public let NSInvalidatedAllObjectsKey: String = "invalidatedAll"
/// The key for the set of inserted ids in the notification of a save, and in remote changes to merge.
public let NSInsertedObjectIDsKey: String = "inserted_objectIDs"
/// The key for the set of updated ids in the notification of a save, and in remote changes to merge.
public let NSUpdatedObjectIDsKey: String = "updated_objectIDs"
/// The key for the set of ids of refreshed objects in the notification of a save, and in remote changes to merge.
public let NSRefreshedObjectIDsKey: String = "refreshed_objectIDs"
/// The key for the set of deleted ids in the notification of a save, and in remote changes to merge.
public let NSDeletedObjectIDsKey: String = "deleted_objectIDs"
/// The key for the set of ids of invalidated objects in remote changes to merge.
public let NSInvalidatedObjectIDsKey: String = "invalidated_objectIDs"
