import Foundation
import Testing

@testable import OpenCoreData

@Suite("Notifications about stores")
struct StoreNotificationTests {
    @Test func `adding and removing a store is posted before and after, with the store`() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShopModel.model())
        let before = NotificationRecorder(.NSPersistentStoreCoordinatorStoresWillChange, of: coordinator)
        let after = NotificationRecorder(.NSPersistentStoreCoordinatorStoresDidChange, of: coordinator)
        let removing = NotificationRecorder(.NSPersistentStoreCoordinatorWillRemoveStore, of: coordinator)
        var counts: [Int] = []
        before.onReceive = { counts.append(coordinator.persistentStores.count) }
        after.onReceive = { counts.append(coordinator.persistentStores.count) }
        removing.onReceive = { counts.append(10) }
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(counts == [0, 1] && after.keys == [NSAddedPersistentStoresKey] && before.keys == after.keys)
        #expect(after.received.last?[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [store])
        try coordinator.remove(store)
        #expect(counts == [0, 1, 10, 1, 0] && after.keys == [NSRemovedPersistentStoresKey])
        #expect(after.received.last?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
        #expect(removing.received.last?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
    }

    @Test func `the names and keys are Core Data's`() {
        #expect(
            Notification.Name.NSPersistentStoreCoordinatorStoresDidChange.rawValue
                == "NSPersistentStoreCoordinatorStoresDidChangeNotification")
        #expect(
            Notification.Name.NSPersistentStoreRemoteChange.rawValue == "NSPersistentStoreRemoteChangeNotification")
        #expect(
            NSPersistentStoreRemoteChangeNotificationPostOptionKey
                == "NSPersistentStoreRemoteChangeNotificationOptionKey")
        #expect(NSPersistentStoreURLKey == "storeURL" && NSPersistentHistoryTokenKey == "historyToken")
        #expect(
            [NSAddedPersistentStoresKey, NSRemovedPersistentStoresKey, NSUUIDChangedPersistentStoresKey]
                == ["added", "removed", "changed"])
    }
}
