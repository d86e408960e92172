import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// What happens to the file of a store that is migrated, above all when it is not.
@Suite("The safety of a migration")
struct MigrationFrameTests {
    private func model(_ attributes: [NSAttributeDescription], unique: [[String]] = []) -> NSManagedObjectModel {
        let thing = Build.entity(
            "Thing", [Build.attribute("name"), Build.attribute("number", .integer32AttributeType)])
        thing.properties += attributes
        thing.uniquenessConstraints = unique
        return Build.model(thing)
    }

    private func store(_ count: Int = 20) throws -> MigratedStore {
        try MigratedStore(model([])) { context in
            for index in 0..<count { try context.make("Thing", ["name": "name \(index / 2)", "number": index]) }
        }
    }

    private func refusal(_ store: MigratedStore, _ work: () throws -> Void) throws -> CoreDataError {
        let before = try store.folder.contents()
        let thrown = coreDataError(work)
        let error = try #require(thrown)
        #expect(try store.folder.contents() == before)
        return error
    }

    private var wider: NSManagedObjectModel { model([Build.attribute("more")]) }

    @Test func `rows that are equal where they must not be are rejected with their number`() throws {
        let store = try store()
        let strict = model([], unique: [["name"], ["number"]])
        let error = try refusal(store) { try store.run(to: strict) }
        #expect(error.errorCode == NSMigrationError)
        #expect(error.message.contains("'Thing' must be unique by name in the new model, and 10 values are"))
        #expect(error.details.map(\.key) == ["name"])
        #expect(error.details.map(\.errorCode) == [NSManagedObjectConstraintMergeError])
    }

    @Test func `what a progress handler throws cancels it, at any place`() throws {
        struct Cancelled: Error {}
        let store = try store()
        var calls = 0
        try store.run(to: wider) { _ in calls += 1 }
        #expect(calls > 5)
        for last in 0..<calls {
            let store = try self.store()
            let before = try store.folder.contents()
            var count = 0
            #expect(throws: Cancelled.self) {
                try store.run(to: wider) { _ in
                    if count == last { throw Cancelled() }
                    count += 1
                }
            }
            #expect(try store.folder.contents() == before)
        }
    }

    @Test func `progress reports all phases, and never goes back`() throws {
        let store = try store(2000)
        var seen: [MigrationProgress] = []
        try store.run(to: wider) { seen.append($0) }
        let phases = seen.map(\.phase).reduce(into: [MigrationProgress.Phase]()) { if $0.last != $1 { $0.append($1) } }
        #expect(phases == MigrationProgress.Phase.allCases)
        for phase in phases {
            let done = seen.filter { $0.phase == phase }
            #expect(done.map(\.done) == done.map(\.done).sorted())
            #expect(done.allSatisfy { $0.done <= $0.total })
        }
    }

    @Test func `a store that somebody has open is not migrated`() throws {
        let store = try store()
        var options = StoreOptions()
        options.busyTimeout = 0.2
        let other = try GraphLibrary.coordinator(at: store.url, model: store.model)
        let error = try #require(coreDataError { try store.run(to: wider, options: options) })
        #expect(error.errorCode == NSPersistentStoreTimeoutError)
        #expect(error.message.contains("another connection or process has it open"))
        for open in other.persistentStores { try other.remove(open) }
        try store.migrate(to: wider)
    }

    @Test func `the store cannot be opened during the migration`() throws {
        let store = try store()
        var tried = 0
        try store.run(to: wider) { progress in
            guard progress.phase != .replacing || progress.done == 0 else { return }
            tried += 1
            #expect(throws: SQLiteError.self) {
                _ = try Connection(
                    .file(path: store.url.path), options: .init(access: .readWrite, busyTimeout: 0)
                ).lines("SELECT count(*) FROM ZTHING")
            }
        }
        #expect(tried > 5)
    }

    @Test func `leftovers of an interrupted migration are removed by the next one`() throws {
        let store = try store()
        let folder = MigrationFolder(of: StoreFiles(url: store.url))
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try Data(count: 5000).write(to: URL(fileURLWithPath: folder.path + "/store"))
        try Data(count: 50).write(to: URL(fileURLWithPath: folder.path + "/store-wal"))
        try store.migrate(to: wider)
        #expect(!folder.exists)
    }

    @Test func `the folder of a migration that begins when this one ends is left to that one`() throws {
        let store = try store()
        let next = MigrationFolder(of: StoreFiles(url: store.url))
        func begin() throws {
            try FileManager.default.createDirectory(atPath: next.path, withIntermediateDirectories: true)
            try Data("next".utf8).write(to: URL(fileURLWithPath: next.database.main))
        }
        let names = { try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted() }
        let left = [".Test.sqlite.migrating", "Test.sqlite"]
        // From here on the name is free, and soon the store as well.
        try store.run(to: wider) { if $0.phase == .replacing { try begin() } }
        #expect(FileManager.default.contents(atPath: next.database.main) == Data("next".utf8))
        #expect(try names() == left)
        next.remove()
        let third = model([Build.attribute("more"), Build.attribute("another")])
        var replacement: StoreReplacement? = try StoreReplacement(of: store.url)
        try replacement?.infer(from: wider, to: third)
        try replacement?.finish(from: wider.compiled(), to: third.compiled())
        try withExtendedLifetime(replacement) { try begin() }
        replacement = nil
        #expect(FileManager.default.contents(atPath: next.database.main) == Data("next".utf8))
        #expect(try names() == left)
    }

    @Test func `leftovers of an interruption at the very end are removed, and files of similar names stay`() throws {
        let store = try store()
        let files = StoreFiles(url: store.url)
        let external = ExternalDataFolder(path: files.externalData)
        let stray = try #require(try external.write(Data("stray".utf8)))
        var folder = MigrationFolder(of: files)
        let similar = folder.path + "-notes"
        for path in [folder.path, similar] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Data("made".utf8).write(to: URL(fileURLWithPath: folder.database.main))
        try folder.note(folder.database, arriving: [stray], leaving: [])
        try folder.withdraw()
        #expect(FileManager.default.fileExists(atPath: folder.path))
        StoreMigration.removeRemains(beside: files)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(!folder.exists)
        #expect(FileManager.default.fileExists(atPath: similar))
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.externalData) == [])
    }

    @Test func `the highest key that there is stays one, where no other table comes in`() throws {
        let store = try store()
        try Connection(.file(path: store.url.path)).execute("UPDATE ZTHING SET Z_PK = \(Int64.max) WHERE Z_PK = 3")
        try store.run(to: wider)
        #expect(try store.lines("SELECT max(Z_PK), count(*) FROM ZTHING") == ["\(Int64.max)|20"])
        #expect(try store.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Thing'") == ["\(Int64.max)"])
    }

    @Test func `the contents of a leftover log are migrated`() throws {
        let store = try store()
        let writer = try Connection(.file(path: store.url.path))
        try writer.execute("UPDATE ZTHING SET ZNAME = 'in the log' WHERE Z_PK = 3")
        let other = try StoreFolder()
        for name in ["Test.sqlite", "Test.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: store.folder.path + "/" + name, toPath: other.path + "/" + name)
        }
        let copy = try MigratedStore(copyOf: other.url(), model: store.model)
        #expect(FileManager.default.fileExists(atPath: copy.url.path + "-wal"))
        try copy.migrate(to: wider)
        #expect(try copy.lines("SELECT ZNAME FROM ZTHING WHERE Z_PK = 3") == ["in the log"])
    }

    @Test func `a store of the new model is left alone`() throws {
        let store = try store()
        let (old, new) = (store.model, wider)
        try store.migrate(to: new)
        let before = try store.folder.contents()
        let mapping = try ModelMapping.inferred(from: old, to: new)
        #expect(try StoreMigration(of: store.url, from: old, to: new, mapping: mapping).run() == nil)
        #expect(try store.folder.contents() == before)
    }

    @Test func `a store of a third model is rejected`() throws {
        let store = try store()
        let other = Build.model(Build.entity("Other"))
        let mapping = try ModelMapping.inferred(from: other, to: wider)
        let error = try refusal(store) {
            try StoreMigration(of: store.url, from: other, to: wider, mapping: mapping).run()
        }
        #expect(error.errorCode == NSPersistentStoreIncompatibleVersionHashError)
    }

    @Test func `rows without an entity are rejected, because their destination is unknown`() throws {
        let store = try store()
        try Connection(.file(path: store.url.path)).execute("UPDATE ZTHING SET Z_ENT = 77 WHERE Z_PK < 3")
        let error = try #require(coreDataError { try store.run(to: wider) })
        #expect(error.message.contains("2 rows of its table 'ZTHING'"))
    }

    @Test func `permissions stay`() throws {
        let store = try store()
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: store.url.path)
        try store.migrate(to: wider)
        let permissions = try FileManager.default.attributesOfItem(atPath: store.url.path)[.posixPermissions]
        #expect(permissions as? Int == 0o640)
    }

    @Test func `a link still points to the migrated store`() throws {
        let store = try store()
        let link = store.folder.url("Link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store.url)
        let mapping = try ModelMapping.inferred(from: store.model, to: wider)
        try StoreMigration(of: link, from: store.model, to: wider, mapping: mapping).run()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == store.url.path)
        #expect(try store.lines("SELECT ZMORE FROM ZTHING LIMIT 1") == ["NULL"])
    }

    private var narrower: NSManagedObjectModel { Build.model(Build.entity("Thing", [Build.attribute("name")])) }

    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small disk is not permitted here"))
    func `a disk that is too small is noticed before anything is written`() throws {
        let source = try store(4000)
        let folder = try StoreFolder()
        let size = try Data(contentsOf: source.url).count
        let disk = try #require(try SmallDisk(folder: folder, kilobytes: size * 5 / 2 / 1024))
        let url = disk.url("Test.sqlite")
        try FileManager.default.copyItem(at: source.url, to: url)
        let mapping = try ModelMapping.inferred(from: source.model, to: narrower)
        var calls = 0
        let migration = try StoreMigration(
            of: url, from: source.model, to: narrower, mapping: mapping, progress: { _ in calls += 1 })
        let error = try #require(coreDataError { try migration.run() })
        #expect(error.errorCode == CocoaError.Code.fileWriteOutOfSpace.rawValue)
        #expect(error.message.contains("bytes of disk space in the folder of the store"))
        #expect(calls == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["Test.sqlite"])
    }

    /// Another program takes all the room, each time a moment later.
    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small disk is not permitted here"))
    func `a disk that fills up during the migration leaves the store as it was`() throws {
        let source = try store(4000)
        let size = try Data(contentsOf: source.url).count
        var failures = 0
        for moment in 0..<20 {
            let folder = try StoreFolder()
            let disk = try #require(try SmallDisk(folder: folder, kilobytes: size * 6 / 1024))
            let url = disk.url("Test.sqlite")
            try FileManager.default.copyItem(at: source.url, to: url)
            let before = try Data(contentsOf: url)
            let mapping = try ModelMapping.inferred(from: source.model, to: narrower)
            var calls = 0
            let migration = try StoreMigration(of: url, from: source.model, to: narrower, mapping: mapping) { _ in
                if calls == moment { Self.fill(disk) }
                calls += 1
            }
            let error = coreDataError { try migration.run() }
            try? FileManager.default.removeItem(at: disk.url("filler"))
            if let error {
                failures += 1
                #expect(error.errorCode == CocoaError.Code.fileWriteOutOfSpace.rawValue, "\(moment): \(error)")
                #expect(try Data(contentsOf: url) == before)
            } else {
                let issues = try StoreVerification.findings(of: url, model: narrower.compiled())
                #expect(issues.map(\.message) == [])
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["Test.sqlite"])
        }
        #expect(failures > 0 && failures < 20)
    }

    private static func fill(_ disk: SmallDisk) {
        let path = disk.url("filler").path
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { return }
        defer { try? file.close() }
        for size in [65536, 4096, 1] {
            while (try? file.write(contentsOf: Data(count: size))) != nil {}
        }
    }
}
