import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// When a store of another model is migrated, and what is said when it is not.
@Suite("Migration on opening")
struct AutomaticMigrationTests {
    private let both: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    private func store() throws -> MigratedStore {
        try MigratedStore(GraphLibrary.model()) { try $0.make("Tag", ["name": "a"]) }
    }

    private var wider: NSManagedObjectModel {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.properties.append(Build.attribute("more"))
        return model
    }

    /// The error of an attempt that leaves every byte as it was.
    private func refusal(
        _ store: MigratedStore, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]?
    ) throws -> CoreDataError {
        let before = try store.folder.contents()
        let error = coreDataError { _ = try GraphLibrary.coordinator(at: store.url, model: model, options: options) }
        #expect(try store.folder.contents() == before)
        return try #require(error)
    }

    private func names(_ store: MigratedStore, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]?) throws
        -> [String?]
    {
        let coordinator = try GraphLibrary.coordinator(at: store.url, model: model, options: options)
        defer { for open in coordinator.persistentStores { try? coordinator.remove(open) } }
        let context = GraphLibrary.context(coordinator)
        return try context.performAndWait { try context.all("Tag").map { $0.text("name") } }
    }

    @Test func `both options together migrate, and the next opening finds nothing to do`() throws {
        let store = try store()
        #expect(try names(store, wider, both) == ["a"])
        let before = try Data(contentsOf: store.url)
        #expect(try names(store, wider, both) == ["a"])
        #expect(try Data(contentsOf: store.url) == before)
        #expect(try StoreVerification.findings(of: store.url, model: wider.compiled()).map(\.message) == [])
    }

    @Test func `leftovers of the very end of a migration are removed when the store is opened`() throws {
        let store = try store()
        #expect(try names(store, wider, both) == ["a"])
        let folder = MigrationFolder(of: StoreFiles(url: store.url))
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let other = try GraphLibrary.coordinator(at: store.url, model: wider)
        #expect(try names(store, wider, both) == ["a"])
        #expect(folder.exists)
        for open in other.persistentStores { try other.remove(open) }
        #expect(try names(store, wider, both) == ["a"])
        #expect(!folder.exists)
    }

    @Test func `an interrupted replacement keeps the large values of the existing store`() throws {
        let store = try store()
        #expect(try names(store, wider, both) == ["a"])
        let folder = MigrationFolder(of: StoreFiles(url: store.url))
        let external = StoreFiles(url: store.url).externalData
        let (stray, former) = (UUID(), UUID())
        for path in [folder.path, external] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        func exists(_ file: UUID) -> Bool { FileManager.default.fileExists(atPath: external + "/" + file.uuidString) }
        for file in [stray, former] {
            try Data("value".utf8).write(to: URL(fileURLWithPath: external + "/" + file.uuidString))
        }
        // As it is between the moving of files and that of the store.
        let made = StoreFiles(url: URL(fileURLWithPath: folder.path + "/step1"))
        try FileManager.default.copyItem(atPath: store.url.path, toPath: made.main)
        try folder.note(made, arriving: [stray], leaving: [former])
        #expect(try names(store, wider, both) == ["a"])
        #expect(!folder.exists)
        #expect(!exists(stray) && exists(former))
        // As it is between the moving of the store and the end. The new store names what came.
        let value = ExternalDataFolder.referenceColumn(stray).hexadecimal
        do {
            let plain = try Connection(.file(path: store.url.path))
            try plain.execute("CREATE TABLE Others (value BLOB)")
            try plain.execute("INSERT INTO Others VALUES (x'\(value)')")
        }
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: store.url.path, toPath: made.main)
        try Data("value".utf8).write(to: URL(fileURLWithPath: external + "/" + stray.uuidString))
        try folder.note(made, arriving: [stray], leaving: [former])
        #expect(rename(made.main, store.url.path) == 0)
        #expect(try names(store, wider, both) == ["a"])
        #expect(!folder.exists)
        #expect(exists(stray) && !exists(former))
    }

    @Test func `without the options nothing is migrated`() throws {
        let store = try store()
        for options in [
            nil, [NSInferMappingModelAutomaticallyOption: true], [NSMigratePersistentStoresAutomaticallyOption: false],
        ]
            as [[AnyHashable: Any]?]
        {
            #expect(try refusal(store, wider, options).errorCode == NSPersistentStoreIncompatibleVersionHashError)
        }
    }

    @Test func `without a mapping the migration is rejected`() throws {
        let error = try refusal(store(), wider, [NSMigratePersistentStoresAutomaticallyOption: true])
        #expect(error.errorCode == NSMigrationMissingMappingModelError)
        #expect(error.message.contains(NSInferMappingModelAutomaticallyOption))
    }

    @Test func `an option that is not a truth value is rejected`() throws {
        #expect(
            try refusal(store(), wider, [NSMigratePersistentStoresAutomaticallyOption: "yes"]).errorCode
                == NSPersistentStoreOpenError)
    }

    @Test func `a migration that cannot be inferred is rejected with all reasons`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.attributesByName["name"]?.attributeType = .dateAttributeType
        model.entitiesByName["Shelf"]?.properties.append(Build.attribute("needed", optional: false))
        let error = try refusal(store(), model, both)
        #expect(error.errorCode == NSInferredMappingModelError)
        #expect(error.details.count == 2)
    }

    @Test func `a store without a copy of its model cannot be migrated`() throws {
        let store = try store()
        try Connection(.file(path: store.url.path)).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
        let error = try refusal(store, wider, both)
        #expect(error.errorCode == NSMigrationMissingSourceModelError)
    }

    @Test func `a store that is opened read-only is not migrated`() throws {
        let error = try refusal(store(), wider, both.merging([NSReadOnlyPersistentStoreOption: true]) { $1 })
        #expect(error.errorCode == NSPersistentStoreIncompatibleVersionHashError)
    }

    @Test func `a mirrored store is migrated only when it may be written`() throws {
        let store = try store()
        try Connection(.file(path: store.url.path)).execute("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
        let error = try refusal(store, wider, both)
        #expect(error.errorCode == NSMigrationError && error.message.contains("CloudKit"))
        #expect(try names(store, wider, both.merging([SwormWritesMirroredStoresOption: true]) { $1 }) == ["a"])
    }

    @Test func `a description migrates unless it says that it does not`() throws {
        for (migrates, infers, code) in [
            (true, true, nil), (false, true, NSPersistentStoreIncompatibleVersionHashError),
            (true, false, NSMigrationMissingMappingModelError),
        ] {
            let store = try store()
            let description = NSPersistentStoreDescription(url: store.url)
            #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
            description.shouldMigrateStoreAutomatically = migrates
            description.shouldInferMappingModelAutomatically = infers
            let container = NSPersistentContainer(name: "Test", managedObjectModel: wider)
            container.persistentStoreDescriptions = [description]
            // Unsafe: the handler runs on this thread, before the call returns.
            nonisolated(unsafe) var failure: (any Error)?
            container.loadPersistentStores { failure = $1 }
            #expect((failure as? CocoaError)?.code.rawValue == code)
            #expect(container.persistentStoreCoordinator.persistentStores.count == (code == nil ? 1 : 0))
        }
    }

    @Test func `a new store, one in memory and one of the model are opened as ever`() throws {
        let folder = try StoreFolder()
        for url in [folder.url(), folder.url(), nil] {
            let coordinator = try GraphLibrary.coordinator(at: url, model: wider, options: both)
            for open in coordinator.persistentStores { try coordinator.remove(open) }
        }
        let options = StoreOptions()
        #expect(!options.migratesAutomatically && !options.infersMapping)
    }

    @Test func `a file that is not a store is rejected as in an opening without migration`() throws {
        let folder = try StoreFolder()
        try Data("no store at all, but a text of some length".utf8).write(to: folder.url())
        let errors = [both, [:]].map { options in
            coreDataError { _ = try GraphLibrary.coordinator(at: folder.url(), model: wider, options: options) }
        }
        #expect(errors[0] != nil && errors[0]?.errorCode == errors[1]?.errorCode)
    }

    @Test func `several that want to migrate one store at once all find it migrated`() async throws {
        let store = try store()
        let url = store.url
        let results = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let model = GraphLibrary.model()
                    model.entitiesByName["Tag"]?.properties.append(Build.attribute("more"))
                    do {
                        let coordinator = try GraphLibrary.coordinator(
                            at: url, model: model,
                            options: [
                                NSMigratePersistentStoresAutomaticallyOption: true,
                                NSInferMappingModelAutomaticallyOption: true, NSPersistentStoreTimeoutOption: 20,
                            ])
                        for open in coordinator.persistentStores { try coordinator.remove(open) }
                        return nil
                    } catch { return "\(error)" }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.compactMap(\.self) == [])
        #expect(try StoreVerification.findings(of: url, model: wider.compiled()).map(\.message) == [])
    }
}
