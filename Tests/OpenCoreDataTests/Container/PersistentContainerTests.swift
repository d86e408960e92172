import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Containers, coordinators and descriptions")
struct PersistentContainerTests {
    private func container(_ folder: StoreFolder, _ change: (NSPersistentStoreDescription) -> Void = { _ in }) throws
        -> NSPersistentContainer
    {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: GraphLibrary.model())
        let description = NSPersistentStoreDescription(url: folder.url("deep/er/Library.sqlite"))
        change(description)
        container.persistentStoreDescriptions = [description]
        let box = LoadErrors()
        container.loadPersistentStores { _, error in box.add(error) }
        if let error = box.errors.first { throw error }
        return container
    }

    @Test func `a container makes the folder, opens its store and works in background`() async throws {
        let folder = try StoreFolder()
        let container = try container(folder)
        let name = try await container.performBackgroundTask { context in
            let author = try context.make("Author", ["name": "Leo"])
            try context.save()
            return author.text("name")
        }
        #expect(name == "Leo")
        let count = await container.performBackgroundTask { context in (try? context.all("Author").count) ?? -1 }
        #expect(count == 1)
        #expect(container.persistentStoreCoordinator.persistentStores.first?.url?.lastPathComponent == "Library.sqlite")
    }

    @Test func `a description says read-only, timeout, pragmas and memory`() throws {
        let folder = try StoreFolder()
        _ = try container(folder)
        let reading = try container(folder) { $0.isReadOnly = true }
        #expect(reading.persistentStoreCoordinator.persistentStores.first?.isReadOnly == true)
        _ = try container(folder) {
            $0.setValue("FULL" as NSString, forPragmaNamed: "synchronous")
            $0.timeout = 1
        }
        let wrong = coreDataError {
            _ = try container(folder) { $0.setValue("OFF" as NSString, forPragmaNamed: "foreign_keys") }
        }
        #expect(wrong?.message.contains("foreign_keys") ?? false)
        let memory = try container(folder) { $0.url = URL(fileURLWithPath: "/dev/null") }
        #expect(memory.persistentStoreCoordinator.persistentStores.first?.url == nil)
    }

    @Test func `metadata of an application is kept, and that of the framework stays`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let store = try #require(coordinator.persistentStores.first)
        var metadata = coordinator.metadata(for: store)
        metadata["answer"] = 42
        metadata[NSStoreUUIDKey] = "other"
        coordinator.setMetadata(metadata, for: store)
        let context = GraphLibrary.context(coordinator)
        try context.make("Tag", ["name": "a"])
        try context.save()
        try coordinator.remove(store)
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.url())
        #expect(read["answer"] as? Int == 42)
        #expect(read[NSStoreUUIDKey] as? String == store.identifier)
        #expect((read[NSStoreModelVersionHashesKey] as? [String: Data])?["Tag"] != nil)
    }

    @Test func `a store and its copy are not open in one coordinator at once`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let context = GraphLibrary.context(coordinator)
        try context.make("Tag", ["name": "a"])
        try context.save()
        let store = try #require(coordinator.persistentStores.first)
        try coordinator.remove(store)
        try FileManager.default.copyItem(at: folder.url(), to: folder.url("Copy.sqlite"))
        try FileManager.default.createSymbolicLink(at: folder.url("Link.sqlite"), withDestinationURL: folder.url())
        @discardableResult func add(
            _ name: String, to coordinator: NSPersistentStoreCoordinator
        ) throws -> NSPersistentStore {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url(name))
        }
        let first = try add("Test.sqlite", to: coordinator)
        let copy = coreDataError { try add("Copy.sqlite", to: coordinator) }
        #expect(copy?.errorCode == NSPersistentStoreOpenError)
        #expect(copy?.message.contains("a copy of the store at '\(folder.url().path)'") == true)
        for name in ["Test.sqlite", "Link.sqlite"] {
            let twin = coreDataError { try add(name, to: coordinator) }
            #expect(twin?.message.contains("already open in this coordinator") == true)
        }
        #expect(coordinator.persistentStores == [first])
        #expect(try context.all("Tag").count == 1)
        try add("Copy.sqlite", to: NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel))
        // In the place of the first one it is welcome, and so is the first one again.
        try coordinator.remove(first)
        try coordinator.remove(try add("Copy.sqlite", to: coordinator))
        #expect(try add("Link.sqlite", to: coordinator).identifier == first.identifier)
    }

    @Test func `a removed store is closed: its objects can't be read, and the file can be destroyed`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let context = GraphLibrary.context(coordinator)
        let tag = try context.make("Tag", ["name": "a"])
        try context.save()
        let store = try #require(coordinator.persistentStores.first)
        #expect(
            coreDataError { try coordinator.destroyPersistentStore(at: folder.url(), ofType: NSSQLiteStoreType) } != nil
        )
        try coordinator.remove(store)
        #expect(coreDataError { try coordinator.remove(store) }?.errorCode == NSPersistentStoreOperationError)
        context.refresh(tag, mergeChanges: false)
        #expect(tag.text("name") == nil)
        #expect(throws: (any Error).self) { try context.all("Tag") }
        try coordinator.destroyPersistentStore(at: folder.url(), ofType: NSSQLiteStoreType)
        #expect(try folder.contents().isEmpty)
    }

    @Test func `a context without a coordinator, and a coordinator without a store, say so`() throws {
        let context = NSManagedObjectContext(.privateQueue)
        #expect(coreDataError { _ = try context.all("Tag") }?.message.contains("coordinator") ?? false)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())
        #expect(coreDataError { _ = try context.all("Tag") }?.message.contains("no persistent store") ?? false)
        try context.make("Tag")
        #expect(coreDataError { try context.save() }?.message.contains("no persistent store") ?? false)
    }

    @Test func `configurations spread the entities over several stores`() throws {
        let folder = try StoreFolder()
        let model = GraphLibrary.model()
        let names = ["Author", "Book", "Novel", "Review", "Tag", "Shelf"]
        model.setEntities(names.compactMap { model.entitiesByName[$0] }, forConfigurationName: "Library")
        model.setEntities([try #require(model.entitiesByName["Person"])], forConfigurationName: "People")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for name in ["Library", "People"] {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: folder.url("\(name).sqlite"))
        }
        let context = GraphLibrary.context(coordinator)
        let person = try context.make("Person", ["name": "Ann"])
        let tag = try context.make("Tag", ["name": "t"])
        try context.save()
        #expect(person.objectID.persistentStore?.configurationName == "People")
        #expect(tag.objectID.persistentStore?.configurationName == "Library")
        #expect(try GraphLibrary.context(coordinator).all("Person").count == 1)
        #expect(throws: (any Error).self) {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: "Nothing", at: folder.url("x.sqlite"))
        }
    }

    @Test func `the model's faults are thrown when a store is added`() throws {
        let broken = Build.model(Build.entity("A"), Build.entity("A"))
        let error = try #require(coreDataError { _ = try GraphLibrary.coordinator(model: broken) })
        #expect(!error.details.isEmpty)
    }

    @Test func `an unknown store type is rejected`() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())
        let error = coreDataError {
            try coordinator.addPersistentStore(
                ofType: "XML", configurationName: nil, at: URL(fileURLWithPath: "/tmp/none"))
        }
        #expect(error?.errorCode == NSPersistentStoreInvalidTypeError)
    }
}

private final class LoadErrors: @unchecked Sendable {
    // Stores of these tests are loaded before `loadPersistentStores` returns.
    private(set) var errors: [any Error] = []
    func add(_ error: (any Error)?) { if let error { errors.append(error) } }
}
