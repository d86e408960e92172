import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: stores in memory that are shared by their name")
struct SharedMemoryTests {
    /// A name of its own for each test.
    private let url = URL(fileURLWithPath: "/dev/null/test-\(UUID().uuidString)")

    private func open(
        _ model: NSManagedObjectModel = GraphLibrary.model(), options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        try GraphLibrary.coordinator(at: url, model: model, options: options)
    }

    private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    @Test func `coordinators that open the same name share a store in memory`() throws {
        let (first, second) = (try open(), try open())
        let (one, other) = (GraphLibrary.context(first), GraphLibrary.context(second))
        let tag = try one.make("Tag", ["name": "a"])
        try one.save()
        let same = try #require(try other.all("Tag").first)
        #expect(same.text("name") == "a")
        #expect(same.objectID.uriRepresentation() == tag.objectID.uriRepresentation())
        same.setValue("b", forKey: "name")
        try other.make("Tag", ["name": "c"])
        try other.save()
        one.refreshAllObjects()
        #expect(tag.text("name") == "b")
        #expect(try one.all("Tag").count == 2)
        // As in a file, the second one of two concurrent changes is a conflict.
        tag.setValue("mine", forKey: "name")
        same.setValue("yours", forKey: "name")
        try one.save()
        #expect(coreDataError { try other.save() }?.errorCode == NSManagedObjectMergeError)
        #expect(first.persistentStores.first?.url == url && !FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `the content exists until the last coordinator closes it`() throws {
        let first = try open()
        let second = try open()
        try GraphLibrary.context(first).with { try $0.make("Tag", ["name": "a"]) }
        try close(first)
        let reader = GraphLibrary.context(second)
        #expect(try reader.all("Tag").count == 1)
        try reader.with { try $0.make("Tag", ["name": "b"]) }
        let third = try open()
        #expect(try GraphLibrary.context(third).all("Tag").count == 2)
        try close(second)
        try close(third)
        let fourth = try open()
        #expect(try GraphLibrary.context(fourth).all("Tag").isEmpty)
    }

    @Test func `a coordinator that is released closes its store too`() throws {
        try {
            let first = try open()
            try GraphLibrary.context(first).with { try $0.make("Tag", ["name": "a"]) }
        }()
        #expect(try GraphLibrary.context(open()).all("Tag").isEmpty)
    }

    @Test func `without a name the store is private, and another name is another store`() throws {
        let first = try open()
        try GraphLibrary.context(first).with { try $0.make("Tag") }
        for other in [URL(fileURLWithPath: "/dev/null"), url.appendingPathExtension("other")] {
            let coordinator = try GraphLibrary.coordinator(at: other)
            #expect(try GraphLibrary.context(coordinator).all("Tag").isEmpty)
        }
        let inMemory = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())
        try inMemory.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(try GraphLibrary.context(inMemory).all("Tag").isEmpty)
    }

    @Test func `a view of a removed store throws, and does not block the other coordinators`() throws {
        let (first, second) = (try open(), try open())
        let pinned = GraphLibrary.context(first)
        try pinned.setQueryGenerationFrom(.current)
        #expect(try pinned.all("Tag").isEmpty)
        try close(first)
        #expect(throws: (any Error).self) { try pinned.all("Tag") }
        try GraphLibrary.context(second).with { try $0.make("Tag") }
        #expect(try GraphLibrary.context(second).all("Tag").count == 1)
    }

    @Test func `another version of the model is the error of an ordinary store`() throws {
        let first = try open()
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.properties.append(Build.attribute("colour"))
        let error = coreDataError { _ = try open(model) }
        #expect(error?.errorCode == NSPersistentStoreIncompatibleVersionHashError && error?.details.count == 1)
        let migrating = coreDataError {
            _ = try open(model, options: [NSMigratePersistentStoresAutomaticallyOption: true])
        }
        #expect(migrating?.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        // The attempts have no effect.
        try GraphLibrary.context(first).with { try $0.make("Tag") }
        try close(first)
        #expect(try GraphLibrary.context(open(model)).all("Tag").isEmpty)
    }

    @Test func `one coordinator opens a name once, and a missing store cannot be read`() throws {
        let coordinator = try open()
        #expect(throws: (any Error).self) {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        #expect(metadata[NSStoreUUIDKey] as? String == coordinator.persistentStores.first?.identifier)
        let reader = try open(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(throws: (any Error).self) { try GraphLibrary.context(reader).with { try $0.make("Tag") } }
        try close(coordinator)
        try close(reader)
        let missing = coreDataError { _ = try open(options: [NSReadOnlyPersistentStoreOption: true]) }
        #expect(missing?.errorCode == CocoaError.Code.fileReadNoSuchFile.rawValue)
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    }

    @Test func `a history begins with the first coordinator that asks for it`() throws {
        let first = try open()
        try GraphLibrary.context(first).with { try $0.make("Tag", ["name": "a"]) }
        let second = try open(options: [NSPersistentHistoryTrackingKey: true])
        try GraphLibrary.context(first).with { try $0.make("Tag", ["name": "b"]) }
        #expect(try GraphLibrary.context(second).changeTexts() == ["insert Tag/p2"])
    }

    @Test func `threads of several coordinators write and read at the same time`() async throws {
        let (first, second) = (try open(), try open())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<6 {
                let coordinator = index.isMultiple(of: 2) ? first : second
                group.addTask {
                    let context = GraphLibrary.context(coordinator)
                    try await context.perform {
                        for number in 0..<25 {
                            try context.make("Tag", ["name": "\(index).\(number)"])
                            try context.save()
                            #expect(try !context.all("Tag").isEmpty)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try GraphLibrary.context(first).all("Tag").count == 150)
        #expect(try GraphLibrary.context(second).all("Tag").count == 150)
    }
}
