import Sworm
import Testing

/// Names of properties from key paths of subclasses, with the same source on all platforms.
struct KeyPathTests {
    // Core Data looks up the entity of a class in the models that are in use.
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: ShopModel.model())
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    }

    @Test func `a key path has the name of its property in the model`() {
        for _ in 0..<2 {
            #expect(keyPath(\ShopItem.name) == "name" && keyPath(\ShopItem.note) == "note")
            #expect(keyPath(\ShopItem.small) == "small" && keyPath(\ShopItem.kind) == "kind")
            #expect(keyPath(\ShopItem.owner) == "owner" && keyPath(\ShopItem.tags) == "wholes")
            #expect(keyPath(\ShopItem.parts) == "parts" && keyPath(\ShopOwner.items) == "items")
        }
    }

    @Test func `a key path follows relationships to one object`() {
        #expect(keyPath(\ShopItem.owner?.items) == "owner.items")
    }

    @Test func `a key path of another property has no name`() {
        #expect(keyPath(\ShopItem.hasChanges).isEmpty)
    }

    @Test func `reading objects records nothing`() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let item = ShopItem(context: context)
        #expect(item.owner == nil && item.note == nil && item.tags.isEmpty)
        #expect(keyPath(\ShopItem.owner) == "owner")
    }
}
