public import Foundation

extension Notification.Name {
    /// Posted before a coordinator adds or removes a store. The object is the coordinator; the user info contains the
    /// stores.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// Posted after a coordinator has added or removed a store. The object is the coordinator; the user info contains
    /// the stores.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// Posted before a coordinator closes a store and removes it. The object is the coordinator; the user info contains
    /// the store.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

/// The key for the array of added stores in a coordinator's notifications.
public let NSAddedPersistentStoresKey: String = "added"
/// The key for the array of removed stores in a coordinator's notifications.
public let NSRemovedPersistentStoresKey: String = "removed"
/// The key for the array of a store that was moved and the store that has its objects now, which has another identifier.
public let NSUUIDChangedPersistentStoresKey: String = "changed"
