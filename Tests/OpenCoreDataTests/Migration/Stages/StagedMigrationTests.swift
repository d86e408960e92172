import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Staged migration")
struct StagedMigrationTests {
    private typealias Models = StagedModels

    private var allStages: [NSMigrationStage] {
        [Models.lightweight(1), Models.splitting(), Models.abbreviating()]
    }

    private struct Stop: Error {}

    @Test func `a name is taken apart in two stages`() throws {
        let store = try Models.store(1)
        try store.open(3, [Models.lightweight(1), Models.splitting()])
        #expect(try store.people() == ["Jane Austen 0", "Leo Tolstoy 1"])
        try store.checkFile()
    }

    @Test(arguments: [1, 2, 3, 4])
    func `a store of each version passes through the remaining stages`(version: Int) throws {
        let store = try Models.store(version)
        let files = try store.externalFiles()
        #expect(files.count == 2)
        var called: [String] = []
        let (split, abbreviate) = (Models.splitting(), Models.abbreviating())
        let handlers = (split.willMigrateHandler, abbreviate.didMigrateHandler)
        split.willMigrateHandler = { manager, stage in
            #expect(stage === split)
            let container = try #require(manager.container)
            #expect(container.managedObjectModel.versionChecksum == stage.currentModel.versionChecksum)
            called.append("will split")
            try handlers.0?(manager, stage)
        }
        split.didMigrateHandler = { manager, stage in
            let container = try #require(manager.container)
            #expect(container.managedObjectModel.versionChecksum == stage.nextModel.versionChecksum)
            called.append("did split")
        }
        abbreviate.didMigrateHandler = { manager, stage in
            called.append("did abbreviate")
            try handlers.1?(manager, stage)
        }
        let manager = NSStagedMigrationManager([Models.lightweight(1), split, abbreviate])
        try store.open(4, manager)
        #expect(manager.container == nil)
        let all = ["will split", "did split", "did abbreviate"]
        #expect(called == [all, all, ["did abbreviate"], []][version - 1])
        #expect(
            try store.people()
                == (version == 4 ? ["Jane Austen - 0", "Leo Tolstoy - 1"] : ["Jane Austen JA 0", "Leo Tolstoy LT 1"]))
        #expect(try store.externalFiles() == files)
        try store.checkFile()
        // The next opening finds nothing to do.
        called = []
        try store.open(4, manager)
        #expect(called == [])
    }

    @Test func `a container runs the stages of its description`() throws {
        let store = try Models.store(2)
        let description = NSPersistentStoreDescription(url: store.url)
        description.setOption(
            NSStagedMigrationManager(allStages), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        let container = NSPersistentContainer(name: "Test", managedObjectModel: Models.model(4))
        container.persistentStoreDescriptions = [description]
        // Unsafe: the handler runs on this thread, before the call returns.
        nonisolated(unsafe) var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        let context = container.newBackgroundContext()
        let initials = try context.performAndWait {
            try context.all("Person", sort: "last").map { $0.text("initials") }
        }
        #expect(initials == ["JA", "LT"])
    }

    @Test func `the stages end where the coordinator's model is reached`() throws {
        let store = try Models.store(1)
        try store.open(3, allStages)
        #expect(try store.people() == ["Jane Austen 0", "Leo Tolstoy 1"])
        try store.checkFile()
    }

    @Test(arguments: [1, 2, 3])
    func `a lightweight stage migrates several versions`(version: Int) throws {
        let store = try Models.store(version)
        try store.open(4, [Models.lightweight(1, 2, 3)])
        #expect(try store.lines("SELECT count(*) FROM ZPERSON WHERE ZINITIALS IS NULL") == ["2"])
        try store.checkFile()
    }

    @Test func `a lightweight stage may name its destination version`() throws {
        for stages in [[Models.lightweight(1, 2), Models.splitting(), Models.lightweight(3, 4)]] {
            let store = try Models.store(1)
            try store.open(4, stages)
            #expect(try store.people() == ["Jane Austen - 0", "Leo Tolstoy - 1"])
            let second = try Models.store(2)
            try second.open(4, stages)
            #expect(try second.people() == ["Jane Austen - 0", "Leo Tolstoy - 1"])
        }
    }

    @Test func `lightweight stages may follow each other`() throws {
        for version in 1...3 {
            let store = try Models.store(version)
            try store.open(4, [Models.lightweight(1), Models.lightweight(2), Models.lightweight(3)])
            try store.checkFile()
        }
    }

    // MARK: Safety

    /// The error of an attempt that leaves every byte as it was, and nothing beside.
    private func refusal(
        _ store: MigratedStore, _ version: Int, _ stages: [NSMigrationStage], options: [AnyHashable: Any] = [:]
    ) throws -> any Error {
        let before = try store.folder.contents()
        var thrown: (any Error)?
        do { try store.open(version, stages, options: options) } catch { thrown = error }
        #expect(try store.folder.contents() == before)
        return try #require(thrown)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a handler that throws leaves every byte of the store`(place: Int) throws {
        let store = try Models.store(1)
        let (split, abbreviate) = (Models.splitting(), Models.abbreviating())
        // What was done before it throws is saved, and values of external data are changed and removed.
        let stop: (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void = { manager, _ in
            try Models.change(manager) { $0.setValue(Models.photo(7), forKey: "photo") }
            try Models.change(manager) { $0.managedObjectContext?.delete($0) }
            throw Stop()
        }
        switch place {
        case 0: split.willMigrateHandler = stop
        case 1: split.didMigrateHandler = stop
        case 2: abbreviate.willMigrateHandler = stop
        default: abbreviate.didMigrateHandler = stop
        }
        let stages = [Models.lightweight(1), split, abbreviate]
        #expect(try refusal(store, 4, stages) is Stop)
        // The same store goes through with handlers that do not.
        try store.open(4, allStages)
        #expect(try store.people() == ["Jane Austen JA 0", "Leo Tolstoy LT 1"])
    }

    @Test func `handlers change, add and remove values of external data`() throws {
        let store = try Models.store(2)
        let before = try store.externalFiles()
        let (split, abbreviate) = (Models.splitting(), Models.abbreviating())
        split.didMigrateHandler = { manager, _ in
            try Models.change(manager) { person in
                if person.text("first") == "Jane" { person.setValue(Models.photo(5), forKey: "photo") }
            }
        }
        abbreviate.willMigrateHandler = { manager, _ in
            // The one in between goes again before the end.
            try Models.change(manager) { person in
                if person.text("first") == "Jane" { person.setValue(Models.photo(6), forKey: "photo") }
            }
            let context = try #require(manager.container).newBackgroundContext()
            try context.performAndWait {
                try context.make("Person", ["first": "Émile", "last": "Zola", "photo": Models.photo(8)])
                try context.save()
            }
        }
        try store.open(4, [split, abbreviate])
        #expect(try store.people() == ["Jane Austen JA 6", "Leo Tolstoy LT 1", "Émile Zola ÉZ 8"])
        let after = try store.externalFiles()
        #expect(after.count == 3 && after.intersection(before).count == 1)
        try store.checkFile()
    }

    @Test func `a store that got its first external data from a handler keeps it`() throws {
        let store = try MigratedStore(Models.model(2)) { try $0.make("Person", ["name": "Jane Austen"]) }
        let split = Models.splitting()
        split.didMigrateHandler = { manager, _ in
            try Models.change(manager) { $0.setValue(Models.photo(3), forKey: "photo") }
        }
        try store.open(3, [split])
        #expect(try store.people() == ["Jane Austen 3"])
        try store.checkFile()
    }

    @Test func `damage that a handler causes in the file is noticed, and the store stays`() throws {
        let store = try Models.store(2)
        let split = Models.splitting()
        split.didMigrateHandler = { manager, _ in
            let place = try #require(manager.container?.persistentStoreDescriptions.first?.url)
            try Connection(.file(path: place.path)).execute("UPDATE ZPERSON SET Z_ENT = 77 WHERE Z_PK = 1")
        }
        let error = try refusal(store, 3, [split]).asCoreData
        #expect(error?.errorCode == NSMigrationError)
        #expect(error?.message.contains("failed its check") == true)
    }

    @Test func `a handler cannot open the store itself`() throws {
        let store = try Models.store(2)
        let split = Models.splitting()
        split.willMigrateHandler = { _, _ in
            #expect(throws: SQLiteError.self) {
                _ = try Connection(.file(path: store.url.path), options: .init(access: .readWrite, busyTimeout: 0))
                    .lines("SELECT count(*) FROM ZPERSON")
            }
            throw Stop()
        }
        #expect(try refusal(store, 3, [split]) is Stop)
    }

    @Test func `a history continues through handlers`() throws {
        let store = try MigratedStore(Models.model(2), options: [NSPersistentHistoryTrackingKey: true]) {
            try $0.make("Person", ["name": "Jane Austen"])
        }
        try store.open(3, [Models.splitting()], options: [NSPersistentHistoryTrackingKey: true])
        #expect(try store.lines("SELECT count(*) FROM ATRANSACTION") == ["2"])
        #expect(try store.people() == ["Jane Austen none"])
    }

    // MARK: Refusals

    private func message(_ store: MigratedStore, _ version: Int, _ stages: [NSMigrationStage], _ code: Int) throws
        -> String
    {
        let error = try #require(try refusal(store, version, stages) as? CocoaError)
        #expect(error.code.rawValue == code)
        return error.localizedDescription
    }

    private var mismatch: Int { NSStagedMigrationFrameworkVersionMismatchError }

    @Test func `a version that no stage knows is rejected`() throws {
        let store = try Models.store(1)
        let text = try message(store, 4, [Models.splitting(), Models.abbreviating()], mismatch)
        #expect(text.contains("has the version \(Models.checksum(1))"))
        #expect(text.contains(Models.checksum(2)) && text.contains(Models.checksum(4)))
    }

    @Test func `a newer store is not migrated back`() throws {
        for version in 1...3 {
            let store = try Models.store(4)
            let text = try message(store, version, allStages, NSStagedMigrationBackwardMigrationError)
            #expect(text.contains("later than the version"))
        }
    }

    @Test func `stages that do not reach the coordinator's model are rejected`() throws {
        let store = try Models.store(2)
        #expect(try message(store, 4, [Models.splitting()], mismatch).contains("do not reach the version"))
    }

    @Test func `stages with a gap are rejected`() throws {
        let store = try Models.store(1)
        let stages = [Models.custom(1, 2), Models.abbreviating()]
        #expect(try message(store, 4, stages, mismatch).contains("Add a stage between them"))
        let text = try message(store, 4, [Models.custom(1, 2), Models.lightweight(3)], mismatch)
        #expect(text.contains("Stage 2 of 2 starts from \(Models.checksum(3))"))
    }

    @Test func `a version from which two stages start is rejected`() throws {
        let store = try Models.store(1)
        for stages in [
            [Models.lightweight(1), Models.lightweight(1)], [Models.lightweight(1, 1)],
            [Models.custom(1, 2), Models.custom(1, 4)],
        ] {
            #expect(try message(store, 4, stages, mismatch).contains("Name each version once"))
        }
        #expect(try message(store, 4, [Models.custom(1, 1)], mismatch).contains("to itself"))
    }

    @Test func `a stage that cannot be inferred is reported before any stage runs`() throws {
        let store = try Models.store(2)
        let strict = Models.model(4)
        strict.entitiesByName["Person"]?.attributesByName["initials"]?.isOptional = false
        let split = Models.splitting()
        split.willMigrateHandler = { _, _ in Issue.record("nothing may run") }
        let last = NSCustomMigrationStage(
            migratingFrom: Models.reference(3),
            to: NSManagedObjectModelReference(model: strict, versionChecksum: strict.versionChecksum))
        last.label = "initials"
        let before = try store.folder.contents()
        let error = try #require(
            coreDataError {
                _ = try GraphLibrary.coordinator(
                    at: store.url, model: strict,
                    options: [
                        NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([split, last])
                    ]
                )
            })
        #expect(error.errorCode == NSInferredMappingModelError)
        #expect(error.message.hasPrefix("Stage 2 of 2 ('initials') cannot be carried out."))
        #expect(try store.folder.contents() == before)
    }

    @Test func `a reference whose checksum is that of another version is rejected`() throws {
        let store = try Models.store(2)
        let wrong = NSManagedObjectModelReference(model: Models.model(4), versionChecksum: Models.checksum(3))
        let stages = [
            NSCustomMigrationStage(migratingFrom: Models.reference(2), to: wrong), Models.abbreviating(),
        ]
        #expect(try message(store, 4, stages, mismatch).contains(Models.checksum(4)))
    }

    @Test func `a manager is for one store at a time`() throws {
        let (store, other) = (try Models.store(2), try Models.store(2))
        let split = Models.splitting()
        let manager = NSStagedMigrationManager([split])
        split.didMigrateHandler = { _, _ in
            let error = coreDataError { try other.open(3, manager) }
            #expect(error?.message.contains("is already migrating a store") == true)
        }
        try store.open(3, manager)
        split.didMigrateHandler = nil
        try other.open(3, manager)
    }

    @Test func `the option is for managers, and can be switched off`() throws {
        let store = try Models.store(2)
        let wrong = coreDataError {
            _ = try GraphLibrary.coordinator(
                at: store.url, model: Models.model(3), options: [NSPersistentStoreStagedMigrationManagerOptionKey: 1])
        }
        #expect(wrong?.errorCode == NSPersistentStoreOpenError)
        let error =
            try refusal(
                store, 3, [Models.splitting()], options: [NSMigratePersistentStoresAutomaticallyOption: false])
            as? CocoaError
        #expect(error?.code == .persistentStoreIncompatibleVersionHash)
    }
}
