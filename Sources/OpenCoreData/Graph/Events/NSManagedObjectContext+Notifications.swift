public import Foundation

extension NSManagedObjectContext {
    /// The name of the notification that is posted before a context saves.
    public static var willSaveObjectsNotification: Notification.Name { .NSManagedObjectContextWillSave }
    /// The name of the notification that is posted after a context has saved, with its objects.
    public static var didSaveObjectsNotification: Notification.Name { .NSManagedObjectContextDidSave }
    /// The name of the notification that is posted after a context has saved, with ids only, which may be passed to any
    /// thread.
    public static var didSaveObjectIDsNotification: Notification.Name { .NSManagedObjectContextDidSaveObjectIDs }
    /// The name of the notification that is posted when objects of a context have changed.
    public static var didChangeObjectsNotification: Notification.Name { .NSManagedObjectContextObjectsDidChange }
    /// The name of the notification that is posted after a context has merged changes, with ids only.
    public static var didMergeChangesObjectIDsNotification: Notification.Name {
        .NSManagedObjectContextDidMergeChangesObjectIDs
    }

    /// The keys of the user info of a context's notifications, as raw values.
    public enum NotificationKey: String, Sendable {
        /// The set of inserted objects.
        case insertedObjects = "inserted"
        /// The set of updated objects.
        case updatedObjects = "updated"
        /// The set of deleted objects.
        case deletedObjects = "deleted"
        /// The set of refreshed objects.
        case refreshedObjects = "refreshed"
        /// The set of objects whose values were discarded.
        case invalidatedObjects = "invalidated"
        /// The array of the ids of all objects, after a reset.
        case invalidatedAllObjects = "invalidatedAll"
        /// The set of inserted ids.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The set of updated ids.
        case updatedObjectIDs = "updated_objectIDs"
        /// The set of deleted ids.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The set of refreshed ids.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// The set of invalidated ids.
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// The query generation after a save.
        case queryGeneration = "newQueryGeneration"
    }
}
