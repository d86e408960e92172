import Foundation
import OpenCoreData
import SwormPredicates
import Testing

@Suite("Notifications of remote changes", .timeLimit(.minutes(30)))
struct RemoteChangeTests {
    private func stack(_ url: URL, posts: Bool, history: Bool = true) throws -> NSPersistentContainer {
        let entity = NSEntityDescription()
        entity.name = "Note"
        let attribute = NSAttributeDescription()
        (attribute.name, attribute.attributeType) = ("text", .stringAttributeType)
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let stack = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        if history { description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey) }
        if posts {
            description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        }
        stack.persistentStoreDescriptions = [description]
        stack.loadPersistentStores { _, error in #expect(error == nil) }
        return stack
    }

    private func insert(into stack: NSPersistentContainer) throws {
        let context = stack.newBackgroundContext()
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            try context.save()
        }
    }

    @Test func `are posted for the commits of every coordinator, where a store asks for them`() async throws {
        let folder = try StoreFolder()
        let (one, other) = (try stack(folder.url(), posts: true), try stack(folder.url(), posts: false))
        let received = Locked<[[AnyHashable: any Sendable]]>([])
        let coordinator = one.persistentStoreCoordinator
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { notification in
            let identifier = notification.userInfo?[NSStoreUUIDKey] as? String ?? ""
            let url = notification.userInfo?[NSPersistentStoreURLKey] as? URL
            let hasToken = notification.userInfo?[NSPersistentHistoryTokenKey] is NSPersistentHistoryToken
            received.withLock { $0.append(["id": identifier, "path": url?.path ?? "", "token": hasToken]) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try insert(into: one)
        while received.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        let count = received.withLock { $0.count }
        try insert(into: other)
        while received.withLock({ $0.count }) == count { try await Task.sleep(for: .milliseconds(1)) }
        let last = try #require(received.withLock { $0.last })
        #expect(last["id"] as? String == one.persistentStoreCoordinator.persistentStores.first?.identifier)
        #expect(last["path"] as? String == folder.url().path && last["token"] as? Bool == true)
    }

    @Test func `metadata are saved without changed objects`() throws {
        let folder = try StoreFolder()
        do {
            let stack = try stack(folder.url(), posts: false)
            let coordinator = stack.persistentStoreCoordinator
            let store = try #require(coordinator.persistentStores.first)
            var metadata = coordinator.metadata(for: store)
            metadata["mark"] = "here"
            coordinator.setMetadata(metadata, for: store)
            try stack.newBackgroundContext().save()
            try coordinator.remove(store)
        }
        let stack = try stack(folder.url(), posts: false)
        let store = try #require(stack.persistentStoreCoordinator.persistentStores.first)
        #expect(stack.persistentStoreCoordinator.metadata(for: store)["mark"] as? String == "here")
    }
}
