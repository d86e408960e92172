import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: metadata and pragmas of stores")
struct StoreSettingTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func metadata(_ name: String = "Test.sqlite") throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: folder.url(name))
    }

    private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    @Test func `metadata that are set without changed objects are saved`() throws {
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let store = try #require(coordinator.persistentStores.first)
        let context = GraphLibrary.context(coordinator)
        var values = coordinator.metadata(for: store)
        values["colour"] = "green"
        coordinator.setMetadata(values, for: store)
        #expect(coordinator.metadata(for: store)["colour"] as? String == "green")
        #expect(try metadata()["colour"] == nil)
        #expect(!context.hasChanges)
        try context.save()
        #expect(try metadata()["colour"] as? String == "green")
        #expect(try metadata()[NSStoreUUIDKey] as? String == store.identifier)
        // The store's own property does the same.
        store.metadata["number"] = 7
        try context.save()
        try close(coordinator)
        #expect(try metadata()["number"] as? Int == 7 && metadata()["colour"] as? String == "green")
    }

    @Test func `metadata of a store without changed objects are saved with the objects of another one`() throws {
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let second = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url("Second.sqlite"))
        let context = GraphLibrary.context(coordinator)
        second.metadata["colour"] = "green"
        try context.make("Tag")
        try context.save()
        #expect(try metadata("Second.sqlite")["colour"] as? String == "green")
        second.metadata["colour"] = "blue"
        let book = try context.make("Book", ["title": "a"])
        try context.save()
        second.metadata["colour"] = "red"
        book.setValue("only in memory", forKey: "scratch")
        try context.save()
        #expect(try metadata("Second.sqlite")["colour"] as? String == "red")
    }

    @Test func `metadata of a read-only store are not written, and a save succeeds without them`() throws {
        try close(try GraphLibrary.coordinator(at: folder.url("Second.sqlite")))
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let second = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url("Second.sqlite"),
            options: [NSReadOnlyPersistentStoreOption: true])
        let context = GraphLibrary.context(coordinator)
        second.metadata["colour"] = "green"
        try context.save()
        try context.make("Tag")
        try context.save()
        #expect(try metadata("Second.sqlite")["colour"] == nil && context.all("Tag").count == 1)
    }

    @Test func `metadata that cannot be written after the changes are reported, and the next save writes them`() throws
    {
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let second = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url("Second.sqlite"),
            options: [NSPersistentStoreTimeoutOption: NSNumber(value: 0.05)])
        let store = try #require(second.objectStore as? SQLiteStore)
        let messages = Locked<[String]>([])
        let stop = store.addWarningListener { warning in messages.withLock { $0.append(warning.message) } }
        defer { stop() }
        let context = GraphLibrary.context(coordinator)
        second.metadata["colour"] = "green"
        try context.make("Tag")
        let other = try folder.raw("Second.sqlite")
        try other.execute("BEGIN IMMEDIATE")
        try context.save()
        #expect(!context.hasChanges && messages.withLock { $0.count } == 1)
        try other.execute("ROLLBACK")
        try context.save()
        #expect(try metadata("Second.sqlite")["colour"] as? String == "green")
    }

    @Test(arguments: ["DELETE", "truncate", "WAL"])
    func `journal_mode in NSSQLitePragmasOption is that of the file`(mode: String) throws {
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(), options: [NSSQLitePragmasOption: ["journal_mode": mode]])
        try GraphLibrary.context(coordinator).with { try $0.make("Tag", ["name": "a"]) }
        let hasLog = FileManager.default.fileExists(atPath: folder.url().path + "-wal")
        #expect(hasLog == (mode == "WAL"))
        let expected = mode == "WAL" ? "wal" : "delete"
        try close(coordinator)
        // A rollback journal of another kind is not recorded in the file.
        #expect(try folder.raw().lines("PRAGMA journal_mode") == [expected])
        // The option of the next opening replaces it.
        let other = try GraphLibrary.coordinator(
            at: folder.url(), options: [NSSQLitePragmasOption: ["journal_mode": mode == "WAL" ? "DELETE" : "WAL"]])
        #expect(try GraphLibrary.context(other).all("Tag").count == 1)
        try close(other)
        #expect(try folder.raw().lines("PRAGMA journal_mode") == [mode == "WAL" ? "delete" : "wal"])
    }

    @Test(arguments: [Int.min, -512, 2000, Int.max])
    func `an infinite timeout and a cache of any size are accepted`(size: Int) throws {
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(),
            options: [
                NSPersistentStoreTimeoutOption: NSNumber(value: Double.infinity),
                NSSQLitePragmasOption: ["cache_size": "\(size)"],
            ])
        try GraphLibrary.context(coordinator).with { try $0.make("Tag", ["name": "a"]) }
        #expect(try GraphLibrary.context(coordinator).all("Tag").count == 1)
        try close(coordinator)
    }

    @Test func `options for Apple's platforms alone are accepted`() throws {
        let options: [AnyHashable: Any] = [
            NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete",
            NSBinaryStoreInsecureDecodingCompatibilityOption: true,
        ]
        let coordinator = try GraphLibrary.coordinator(at: folder.url(), options: options)
        try GraphLibrary.context(coordinator).with { try $0.make("Tag", ["name": "a"]) }
        #expect(try GraphLibrary.context(coordinator).all("Tag").count == 1)
    }

    @Test func `an unknown journal mode is an error that lists those there are`() throws {
        let error = coreDataError {
            _ = try GraphLibrary.coordinator(
                at: folder.url(), options: [NSSQLitePragmasOption: ["journal_mode": "SIDEWAYS"]])
        }
        #expect(error?.errorCode == NSPersistentStoreOpenError && error?.message.contains("TRUNCATE") ?? false)
        #expect(!FileManager.default.fileExists(atPath: folder.url().path))
    }
}
