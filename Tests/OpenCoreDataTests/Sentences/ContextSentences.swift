import Foundation
import OpenCoreData
import TestSupport
import Testing

/// Source: the documentation of `NSManagedObjectContext` and `NSPersistentContainer`, and NSManagedObjectContext.h.
@Suite("Sentences about contexts", .overEachStore)
struct ContextSentenceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    /// The id of a saved author that the context has not read.
    private let leo: NSManagedObjectID

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        let writer = GraphLibrary.context(coordinator)
        let author = try writer.make("Author", ["name": "Leo", "age": 40])
        try writer.save()
        leo = author.objectID
        context = GraphLibrary.context(coordinator)
    }

    /// Saves another age of the author in another context.
    private func changeAge(to age: Int) throws {
        let other = GraphLibrary.context(coordinator)
        let author = try other.existingObject(with: leo)
        author.setValue(age, forKey: "age")
        try other.save()
    }

    private func age(_ author: NSManagedObject) -> Int? { author.value(forKey: "age") as? Int }

    /// A container with a store in memory.
    private func stack() -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Sentences", managedObjectModel: GraphLibrary.model())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        return container
    }

    // MARK: Objects and ids

    @Test func `an existing object is returned with its values, and not as a fault`() throws {
        let author = try context.existingObject(with: leo)
        #expect(author.objectID == leo && !author.isFault)
    }

    @Test func `an existing object that the context has as a fault is that object, with its values`() throws {
        let fault = context.object(with: leo)
        #expect(fault.isFault)
        let author = try context.existingObject(with: leo)
        #expect(author === fault && !fault.isFault)
    }

    @Test func `a registered object is looked for in the context, and not in the store`() throws {
        #expect(context.registeredObject(for: leo) == nil)
        #expect(context.registeredObjects.isEmpty)
        let author = context.object(with: leo)
        #expect(context.registeredObject(for: leo) === author)
    }

    @Test func `permanent ids are not replaced when permanent ids are obtained`() throws {
        let saved = context.object(with: leo)
        let new = try context.make("Tag", ["name": "a"])
        try context.obtainPermanentIDs(for: [saved, new])
        let id = new.objectID
        #expect(saved.objectID == leo && !id.isTemporaryID)
        try context.obtainPermanentIDs(for: [saved, new])
        #expect(saved.objectID == leo && new.objectID == id)
    }

    @Test func `a deleted object is registered until the save, and not afterwards`() throws {
        let author = try context.existingObject(with: leo)
        context.delete(author)
        #expect(context.registeredObject(for: leo) === author && author.managedObjectContext === context)
        try context.save()
        #expect(context.registeredObject(for: leo) == nil)
    }

    @Test(.over(.file)) func `a new object is saved in the store that it was assigned to`() throws {
        let folder = try StoreFolder()
        defer { withExtendedLifetime(folder) {} }
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url("Second.sqlite"))
        let stores = coordinator.persistentStores
        let tags = try stores.map { store in
            let tag = try context.make("Tag", ["name": "a"])
            context.assign(tag, to: store)
            return tag
        }
        try context.save()
        #expect(stores.count == 2)
        #expect(tags.compactMap { $0.objectID.persistentStore } == stores)
    }

    // MARK: Changes

    @Test func `a rollback restores the values that were read, without reading rows again`() throws {
        let author = try context.existingObject(with: leo)
        try changeAge(to: 50)
        author.setValue("Lev", forKey: "name")
        context.rollback()
        #expect(author.text("name") == "Leo" && age(author) == 40)
    }

    @Test func `refreshing all objects keeps the unsaved changes`() throws {
        let author = try context.existingObject(with: leo)
        author.setValue("Lev", forKey: "name")
        try changeAge(to: 50)
        context.refreshAllObjects()
        #expect(author.text("name") == "Lev" && age(author) == 50)
        #expect(author.isUpdated && context.updatedObjects == [author])
    }

    @Test func `changes from elsewhere are merged into several contexts, by URIs as well as by ids`() throws {
        let contexts = [context, GraphLibrary.context(coordinator)]
        let authors = try contexts.map { try $0.existingObject(with: leo) }
        try changeAge(to: 50)
        #expect(authors.map(age) == [40, 40])
        let uris = [leo.uriRepresentation()]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: uris], into: contexts)
        #expect(authors.map(age) == [50, 50])
        try changeAge(to: 60)
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: [leo]], into: contexts)
        #expect(authors.map(age) == [60, 60])
    }

    @Test func `a save is announced before it begins, by a notification without information`() throws {
        let recorder = NotificationRecorder(NSManagedObjectContext.willSaveObjectsNotification, of: context)
        var hadChanges: [Bool] = []
        recorder.onReceive = { [context] in hadChanges.append(context.hasChanges) }
        try context.make("Tag", ["name": "a"])
        #expect(recorder.received.isEmpty)
        try context.save()
        #expect(recorder.received.count == 1 && hadChanges == [true])
        #expect(recorder.received.last?.isEmpty == true)
    }

    // MARK: Settings

    @Test func `to a new context no row is too old`() {
        let new = NSManagedObjectContext(.privateQueue)
        #expect(new.stalenessInterval < 0)
    }

    @Test func `a new context has no undo manager`() {
        let new = NSManagedObjectContext(.privateQueue)
        #expect(new.undoManager == nil)
    }

    // MARK: Contexts of containers

    @Test func `the view context of a container is of the main queue, and saves to the coordinator`() {
        let container = stack()
        let view = container.viewContext
        #expect(view.concurrencyType == .mainQueueConcurrencyType && view.parent == nil)
        #expect(view.persistentStoreCoordinator === container.persistentStoreCoordinator)
    }

    @Test func `each background context is a new one with a queue of its own, and saves to the coordinator`() {
        let container = stack()
        let contexts = [container.newBackgroundContext(), container.newBackgroundContext()]
        #expect(contexts[0] !== contexts[1])
        for background in contexts {
            #expect(background.concurrencyType == .privateQueueConcurrencyType && background.parent == nil)
            #expect(background.persistentStoreCoordinator === container.persistentStoreCoordinator)
        }
    }

    @Test func `each background task gets a new context with a queue of its own`() async {
        let container = stack()
        let first: NSManagedObjectContext = await container.performBackgroundTask { context in context }
        let second: NSManagedObjectContext = await container.performBackgroundTask { context in context }
        #expect(first !== second && first !== container.viewContext)
        #expect(first.concurrencyType == .privateQueueConcurrencyType)
        #expect(second.concurrencyType == .privateQueueConcurrencyType)
    }
}
