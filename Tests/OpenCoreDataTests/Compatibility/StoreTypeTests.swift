import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormSQLite
@testable import SwormStore

@Suite("Compatibility: store types, metadata and options")
struct StoreTypeTests {
    private let folder: StoreFolder
    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())

    init() throws { folder = try StoreFolder() }

    private func save(_ name: String = "Leo") throws {
        let context = GraphLibrary.context(coordinator)
        try context.make("Author", ["name": name])
        try context.save()
    }

    private func issues(_ url: URL) throws -> [String] {
        try StoreVerification.issues(of: url, model: try GraphLibrary.model().compiled())
    }

    @Test func `stores are added, replaced and destroyed by a type as a value`() throws {
        #expect(NSPersistentStore.StoreType.sqlite.rawValue == NSSQLiteStoreType)
        #expect(NSPersistentStore.StoreType.inMemory.rawValue == NSInMemoryStoreType)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url())
        #expect(store.type == NSSQLiteStoreType && store.url == folder.url())
        try save()
        try coordinator.remove(store)
        let copy = folder.url("Copy.sqlite")
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: folder.url(), type: .sqlite)
        try coordinator.destroyPersistentStore(at: folder.url(), type: .sqlite)
        #expect(FileKind(path: folder.url().path) == nil)
        try coordinator.addPersistentStore(type: .sqlite, configuration: nil, at: copy, options: nil)
        #expect(try GraphLibrary.context(coordinator).all("Author").count == 1)
    }

    @Test func `the metadata of a store are read and set without opening it`() throws {
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url())
        try save()
        try coordinator.remove(store)
        typealias Coordinator = NSPersistentStoreCoordinator
        try Coordinator.setMetadata(["owner": "me", NSStoreUUIDKey: "other"], type: .sqlite, at: folder.url())
        let metadata = try Coordinator.metadataForPersistentStore(type: .sqlite, at: folder.url())
        #expect(metadata["owner"] as? String == "me")
        #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        let checksum = GraphLibrary.model().versionChecksum
        #expect(metadata[NSPersistentStoreModelVersionChecksumKey] as? String == checksum)
        try Coordinator.setMetadata(nil, forPersistentStoreOfType: NSSQLiteStoreType, at: folder.url())
        #expect(try Coordinator.metadataForPersistentStore(with: folder.url())["owner"] == nil)
        #expect(try issues(folder.url()) == [])
        try coordinator.addPersistentStore(type: .sqlite, at: folder.url())
        #expect(try GraphLibrary.context(coordinator).all("Author").count == 1)
    }

    @Test func `metadata are set only where there is a store, and only values of property lists`() throws {
        typealias Coordinator = NSPersistentStoreCoordinator
        let missing = folder.url("Missing.sqlite")
        #expect(thrownCode { try Coordinator.setMetadata([:], type: .sqlite, at: missing) } != nil)
        #expect(FileKind(path: missing.path) == nil)
        #expect(thrownCode { try Coordinator.setMetadata([:], type: .inMemory, at: missing) } != nil)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url())
        try coordinator.remove(store)
        let before = try folder.contents()
        let code = thrownCode { try Coordinator.setMetadata(["a": NSObject()], type: .sqlite, at: folder.url()) }
        #expect(code == NSPersistentStoreSaveError)
        #expect(try folder.contents()["Test.sqlite"] == before["Test.sqlite"])
    }

    @Test func `the model in a store is returned, and its absence is an error`() throws {
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url())
        try coordinator.remove(store)
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: folder.url())
        #expect(model.versionChecksum == GraphLibrary.model().versionChecksum)
        do {
            let raw = try folder.raw()
            try raw.execute("DELETE FROM Z_MODELCACHE")
        }
        let code = thrownCode {
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: folder.url())
        }
        #expect(code == NSMigrationMissingSourceModelError)
    }

    @Test func `the text of a URI identifies an object`() throws {
        try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let context = GraphLibrary.context(coordinator)
        let author = try context.make("Author", ["name": "Leo"])
        try context.save()
        #expect(coordinator.managedObjectID(for: "\(author.objectID)") == author.objectID)
        #expect(coordinator.managedObjectID(for: "no URI at all") == nil)
    }

    @Test func `a migration leaves nothing to finish`() throws {
        try coordinator.addPersistentStore(
            type: .sqlite, at: folder.url(), options: [NSPersistentStoreDeferredLightweightMigrationOptionKey: true])
        try coordinator.finishDeferredLightweightMigration()
        try coordinator.finishDeferredLightweightMigrationTask()
        try save()
    }

    @Test func `the file is rebuilt and its indexes are analyzed where the options say so`() throws {
        do {
            let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url())
            let context = GraphLibrary.context(coordinator)
            for number in 0..<2000 { try context.make("Book", ["title": "Book \(number)", "isbn": "\(number)"]) }
            try context.save()
            for book in try context.all("Book", "isbn < %@", "5") { context.delete(book) }
            try context.save()
            try coordinator.remove(store)
        }
        let free = { try folder.raw().lines("PRAGMA freelist_count").first }
        #expect(try free() != "0")
        let options = [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true]
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url(), options: options)
        #expect(try free() == "0")
        #expect(try folder.raw().lines("SELECT count(*) > 0 FROM sqlite_stat1") == ["1"])
        #expect(try !GraphLibrary.context(coordinator).all("Book").isEmpty)
        try coordinator.remove(store)
        #expect(try issues(folder.url()) == [])
        try coordinator.addPersistentStore(type: .sqlite, at: folder.url())
    }

    @Test func `a connection pool has a size of at least one`() throws {
        let key = NSPersistentStoreConnectionPoolMaxSizeKey
        for value in [0, -1] as [Int] {
            let code = thrownCode {
                try coordinator.addPersistentStore(type: .sqlite, at: folder.url(), options: [key: value])
            }
            #expect(code == NSPersistentStoreOpenError)
        }
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url(), options: [key: 2])
        let options = try #require(store.objectStore as? SQLiteStore).options
        #expect(options.slotLimit == 2 && options.idleReaders == 2)
        try save()
    }
}
