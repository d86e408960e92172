import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("A read-only store changes nothing")
struct ReadOnlyTests {
    /// A store whose last rows are only in its log, as after a process was killed.
    static func abandoned() throws -> StoreFolder {
        let source = try StoreFolder()
        let store = try source.open()
        try store.insert(LibraryModel.author, ["name": .string("Leo")])
        try source.raw().checkpoint(.truncate)
        try store.insert(LibraryModel.author, ["name": .string("Anna")])
        let folder = try StoreFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: source.url().path + suffix, toPath: folder.url().path + suffix)
        }
        store.close()
        return folder
    }

    private func names(_ store: SQLiteStore) throws -> [String] {
        let (buffer, shape) = try store.rows(LibraryModel.author)
        let cell = shape.cell(ofAttribute: 1, in: LibraryModel.author)
        return (0..<buffer.count).map { buffer.text(row: $0, cell: cell) }
    }

    private func expectNothingChanges(_ folder: StoreFolder, finds expected: [String]) throws {
        let before = try folder.contents()
        let store = try folder.open { $0.isReadOnly = true }
        #expect(try folder.contents() == before)
        #expect(try names(store) == expected)
        #expect(try folder.contents() == before)
        let error = try #require(throws: CoreDataError.self) { try store.insert(LibraryModel.tag) }
        #expect(error.errorCode == CocoaError.Code.fileWriteNoPermission.rawValue)
        #expect(throws: CoreDataError.self) { try store.reserveKeys(root: LibraryModel.tag, count: 1) }
        store.close()
        #expect(try folder.contents() == before)
    }

    @Test func `a store that was closed`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.author, ["name": .string("Leo")])
        store.close()
        #expect(try Array(folder.contents().keys) == ["Test.sqlite"])
        try expectNothingChanges(folder, finds: ["Leo"])
    }

    @Test func `a store with a log left over`() throws {
        try expectNothingChanges(Self.abandoned(), finds: ["Leo", "Anna"])
    }

    @Test func `a store behind a symbolic link, with its log next to the real file`() throws {
        let real = try Self.abandoned()
        let folder = try StoreFolder()
        try FileManager.default.createSymbolicLink(at: folder.url(), withDestinationURL: real.url())
        let before = try real.contents()
        try expectNothingChanges(folder, finds: ["Leo", "Anna"])
        #expect(try real.contents() == before)
    }

    @Test func `a store that was written without a log`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.author, ["name": .string("Leo")])
        store.close()
        try folder.raw().setJournalMode(.delete)
        try expectNothingChanges(folder, finds: ["Leo"])
    }

    @Test func `a store with a rollback journal left over shows the state before the unfinished save`() throws {
        let source = try StoreFolder()
        let store = try source.open()
        for number in 0..<50 { try store.insert(LibraryModel.author, ["name": .string("Leo \(number)")]) }
        store.close()
        let raw = try source.raw()
        try raw.setJournalMode(.delete)
        try raw.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1")
        try raw.begin(.immediate)
        try raw.execute("UPDATE ZAUTHOR SET ZNAME = hex(zeroblob(3000)) || Z_PK")
        let folder = try StoreFolder()
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: source.url().path + suffix, toPath: folder.url().path + suffix)
        }
        try raw.rollback()
        try expectNothingChanges(folder, finds: (0..<50).map { "Leo \($0)" })
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "a small disk cannot be mounted here"))
    func `a store on a disk that cannot be written, with a log and without`() throws {
        let folder = try Self.abandoned()
        let disk = try #require(try SmallDisk(folder: folder))
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.url().path + suffix, toPath: disk.url("Log.sqlite").path + suffix)
        }
        let plain = try StoreFolder()
        let made = try plain.open()
        try made.insert(LibraryModel.author, ["name": .string("Leo")])
        made.close()
        try FileManager.default.copyItem(at: plain.url(), to: disk.url("Plain.sqlite"))
        try disk.setReadOnly(true)
        var options = StoreOptions()
        options.isReadOnly = true
        for (name, expected) in [("Log.sqlite", ["Leo", "Anna"]), ("Plain.sqlite", ["Leo"])] {
            let store = try SQLiteStore.open(url: disk.url(name), model: LibraryModel.model, options: options)
            #expect(try names(store) == expected)
            store.close()
        }
    }

    @Test func `a store that another connection has open shows the writes of that connection`() throws {
        let folder = try StoreFolder()
        let writer = try folder.open()
        try writer.insert(LibraryModel.author, ["name": .string("Leo")])
        let reader = try folder.open { $0.isReadOnly = true }
        #expect(try names(reader) == ["Leo"])
        let session = try reader.beginSession()
        try writer.insert(LibraryModel.author, ["name": .string("Anna")])
        #expect(try session.count(FetchSpecification(entity: LibraryModel.author)) == 1)
        session.end()
        #expect(try names(reader) == ["Leo", "Anna"])
        reader.close()
        writer.close()
    }

    @Test func `a store that is changed later is read again`() throws {
        let folder = try StoreFolder()
        var writer = try folder.open()
        try writer.insert(LibraryModel.author, ["name": .string("Leo")])
        writer.close()
        let reader = try folder.open { $0.isReadOnly = true }
        #expect(try names(reader) == ["Leo"])
        let session = try reader.beginSession()
        writer = try folder.open()
        try writer.insert(LibraryModel.author, ["name": .string("Anna")])
        writer.close()
        // The file changed under a view that holds no lock: it says so rather than mix two states.
        #expect(throws: CoreDataError.self) { try session.count(FetchSpecification(entity: LibraryModel.author)) }
        session.end()
        #expect(try names(reader) == ["Leo", "Anna"])
    }

    @Test func `a rejected store keeps its log`() throws {
        let folder = try Self.abandoned()
        let before = try folder.contents()
        #expect(throws: CoreDataError.self) { try folder.open(TypesModel.model) }
        #expect(try folder.contents() == before)
        // The right model finds the rows of the log, and moves them into the file.
        let store = try folder.open()
        #expect(try names(store) == ["Leo", "Anna"])
        store.close()
        #expect(try Array(folder.contents().keys) == ["Test.sqlite"])
    }
}
