import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Which files a store is removed or replaced with")
struct DestroyingTests {
    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())

    private func destroy(_ url: URL, isForced: Bool = false) throws {
        try coordinator.destroyPersistentStore(
            at: url, ofType: NSSQLiteStoreType,
            options: isForced ? [NSPersistentStoreForceDestroyOption: true] : nil)
    }

    /// A closed store under another name than the one that it was opened by.
    private func made() throws -> StoreFolder {
        let folder = try StoreFolder()
        do {
            let context = try GraphLibrary.context(at: folder.url("Made.sqlite"))
            try context.make("Author", ["name": "Leo"])
            try context.save()
        }
        try FileManager.default.moveItem(at: folder.url("Made.sqlite"), to: folder.url())
        return folder
    }

    @Test func `a store and an empty file are removed, and nothing that is no store`() throws {
        let folder = try made()
        try destroy(folder.url())
        #expect(FileKind(path: folder.url().path) == nil)
        try destroy(folder.url())
        try Data().write(to: folder.url())
        try destroy(folder.url())
        #expect(FileKind(path: folder.url().path) == nil)
        try Data("a letter".utf8).write(to: folder.url("letter"))
        try folder.raw("other.sqlite").execute("CREATE TABLE a (b)")
        for name in ["letter", "other.sqlite"] {
            let error = coreDataError { try destroy(folder.url(name)) }
            #expect(error?.message.contains("not a Core Data store") == true, "\(name)")
            #expect(FileKind(path: folder.url(name).path) == .file)
            try destroy(folder.url(name), isForced: true)
            #expect(FileKind(path: folder.url(name).path) == nil)
        }
    }

    @Test func `a folder, a device and a link stay, whatever is asked for`() throws {
        let folder = try made()
        try FileManager.default.createDirectory(at: folder.url("folder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: folder.url("link"), withDestinationURL: folder.url())
        try #require(mkfifo(folder.url("pipe").path, 0o600) == 0)
        for isForced in [false, true] {
            for name in ["folder", "link", "pipe"] {
                #expect(coreDataError { try destroy(folder.url(name), isForced: isForced) } != nil, "\(name)")
                #expect(FileKind(itself: folder.url(name).path) != nil, "\(name)")
            }
            #expect(coreDataError { try destroy(URL(fileURLWithPath: "/dev/zero"), isForced: isForced) } != nil)
        }
        #expect(FileKind(path: folder.url().path) == .file)
    }

    @Test func `the URL of an in-memory store is ignored`() throws {
        let url = URL(fileURLWithPath: "/dev/null")
        try coordinator.destroyPersistentStore(at: url, ofType: NSInMemoryStoreType)
        try destroy(url)
        try destroy(url, isForced: true)
        #expect(FileKind(path: "/dev/null") == .device)
    }

    @Test(arguments: [0, 16, 100, 4096])
    func `a damaged store can be removed and replaced`(offset: Int) throws {
        for replaces in [false, true] {
            let folder = try made()
            let handle = try FileHandle(forWritingTo: folder.url())
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 12))
            try handle.close()
            if replaces {
                let other = try made()
                try coordinator.replacePersistentStore(
                    at: folder.url(), withPersistentStoreFrom: other.url(), ofType: NSSQLiteStoreType)
                #expect(try GraphLibrary.context(at: folder.url()).all("Author").count == 1)
            } else {
                try destroy(folder.url())
                #expect(FileKind(path: folder.url().path) == nil)
            }
        }
    }

    @Test func `of a store that was overwritten, the log or its being open says that it was one`() throws {
        let folder = try made()
        try Data(repeating: 1, count: 9000).write(to: folder.url())
        #expect(coreDataError { try destroy(folder.url()) } != nil)
        // The log of any database is no sign; one with the tables of a store is.
        let log = Data([0x37, 0x7F, 0x06, 0x82, 0, 0, 0, 0])
        try log.write(to: folder.url("Test.sqlite-wal"))
        #expect(coreDataError { try destroy(folder.url()) } != nil)
        try (log + Data("CREATE TABLE Z_METADATA".utf8)).write(to: folder.url("Test.sqlite-wal"))
        try destroy(folder.url())
        #expect(FileKind(path: folder.url().path) == nil && FileKind(path: folder.url("Test.sqlite-wal").path) == nil)
        for isOpen in [true, false] {
            let url = folder.url("Opened.sqlite")
            var context: NSManagedObjectContext? = try GraphLibrary.context(at: url)
            if !isOpen { context = nil }
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
            try Data(repeating: 1, count: 9000).write(to: url)
            #expect((coreDataError { try destroy(url) } == nil) == isOpen)
            #expect((FileKind(path: url.path) == nil) == isOpen)
            withExtendedLifetime(context) {}
        }
    }

    @Test func `a locked database, and a plain file that mentions tables, stay`() throws {
        let folder = try StoreFolder()
        let other = try folder.raw("other.sqlite")
        try other.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE a (b)")
        try Data("CREATE TABLE Z_METADATA (a); -- \(String(repeating: "x", count: 9000))".utf8).write(
            to: folder.url("text.sql"))
        let error = coreDataError { try destroy(folder.url("other.sqlite")) }
        #expect(error?.condition == .timedOut, "\(String(describing: error))")
        #expect(
            coreDataError { try destroy(folder.url("text.sql")) }?.message.contains("not a Core Data store") == true)
        #expect(FileKind(path: folder.url("other.sqlite").path) == .file)
        #expect(try other.lines("SELECT count(*) FROM a") == ["0"])
    }

    @Test func `the external data of a store with the same name before its extension stay`() throws {
        let folder = try made()
        let support = folder.externalPath
        try FileManager.default.createDirectory(atPath: support, withIntermediateDirectories: true)
        try destroy(folder.url("Test.db"))
        #expect(FileKind(path: support) == .folder)
        try destroy(folder.url())
        #expect(FileKind(path: support) == nil)
    }

    @Test func `another database is not replaced`() throws {
        let (folder, other) = (try StoreFolder(), try made())
        try folder.raw().execute("CREATE TABLE a (b)")
        let before = try folder.contents()
        let error = coreDataError {
            try coordinator.replacePersistentStore(
                at: folder.url(), withPersistentStoreFrom: other.url(), ofType: NSSQLiteStoreType)
        }
        #expect(error?.message.contains("not a Core Data store") == true)
        #expect(try folder.contents() == before)
    }
}
