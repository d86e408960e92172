import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("Files that cannot be opened are rejected and not modified")
struct OpeningErrorsTests {
    /// Opens the file both ways, expects the same error code, and expects that nothing has changed.
    private func refuse(
        _ folder: StoreFolder, model: CompiledModel = LibraryModel.model, code: Int, says: [String],
        causedBy sqlite: Int32? = nil
    ) throws {
        let before = try folder.contents()
        for isReadOnly in [true, false] {
            let error = try #require(throws: CoreDataError.self) {
                try folder.open(model) { $0.isReadOnly = isReadOnly }
            }
            #expect(error.errorCode == code, "\(error.message)")
            for part in says { #expect(error.message.contains(part), "\(error.message)") }
            if let sqlite { #expect((error.cause as? SQLiteError)?.code == sqlite) }
            #expect(try folder.contents() == before)
        }
    }

    private func made() throws -> StoreFolder {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.author, ["name": .string("Leo")])
        store.close()
        return folder
    }

    @Test func `a file of plain text`() throws {
        let folder = try StoreFolder()
        try Data(String(repeating: "This is no database. ", count: 500).utf8).write(to: folder.url())
        try refuse(
            folder, code: CocoaError.Code.fileReadCorruptFile.rawValue, says: ["not a SQLite database"],
            causedBy: SQLiteError.notADatabase)
    }

    @Test func `a short file of plain text`() throws {
        let folder = try StoreFolder()
        try Data("hello".utf8).write(to: folder.url())
        try refuse(
            folder, code: CocoaError.Code.fileReadCorruptFile.rawValue, says: ["not a SQLite database"],
            causedBy: SQLiteError.notADatabase)
    }

    @Test func `an empty file is a new store only when one may be made`() throws {
        let folder = try StoreFolder()
        try Data().write(to: folder.url())
        let readOnly = try #require(throws: CoreDataError.self) { try folder.open { $0.isReadOnly = true } }
        #expect(readOnly.errorCode == NSPersistentStoreOpenError && readOnly.message.contains("is empty"))
        let noCreation = try #require(throws: CoreDataError.self) { try folder.open { $0.createsMissingFile = false } }
        #expect(noCreation.errorCode == NSPersistentStoreOpenError)
        #expect(try folder.contents() == ["Test.sqlite": Data()])
        let store = try folder.open()
        try store.insert(LibraryModel.tag, ["name": .string("x")])
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: LibraryModel.model) == [])
    }

    @Test func `a missing file`() throws {
        let folder = try StoreFolder()
        for change: (inout StoreOptions) -> Void in [{ $0.isReadOnly = true }, { $0.createsMissingFile = false }] {
            let error = try #require(throws: CoreDataError.self) { try folder.open(LibraryModel.model, change) }
            #expect(error.errorCode == CocoaError.Code.fileReadNoSuchFile.rawValue)
        }
        #expect(try folder.contents().isEmpty)
    }

    @Test func `a missing folder, a folder, and a URL that is not a file`() throws {
        let folder = try StoreFolder()
        let missing = try #require(throws: CoreDataError.self) {
            try SQLiteStore.open(url: folder.url("a/b.sqlite"), model: LibraryModel.model)
        }
        #expect(missing.errorCode == CocoaError.Code.fileNoSuchFile.rawValue && missing.message.contains("folder"))
        let itself = try #require(throws: CoreDataError.self) {
            try SQLiteStore.open(url: URL(fileURLWithPath: folder.path), model: LibraryModel.model)
        }
        #expect(itself.message.contains("is a folder"))
        let web = try #require(URL(string: "https://example.org/x.sqlite"))
        #expect(throws: CoreDataError.self) { try SQLiteStore.open(url: web, model: LibraryModel.model) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a pipe and a device are rejected without being opened`() throws {
        let folder = try StoreFolder()
        try #require(mkfifo(folder.url().path, 0o600) == 0)
        for isReadOnly in [true, false] {
            let error = try #require(throws: CoreDataError.self) {
                try folder.open { $0.isReadOnly = isReadOnly }
            }
            #expect(error.errorCode == NSPersistentStoreOpenError && error.message.contains("is a pipe"))
        }
        let stored = try #require(coreDataError { _ = try StoredModel(ofStoreAt: folder.url()) })
        #expect(stored.message.contains("is a pipe"))
        let zero = try #require(throws: CoreDataError.self) {
            _ = try StoreInspector(url: URL(fileURLWithPath: "/dev/zero"))
        }
        #expect(zero.message.contains("is a device"))
    }

    @Test func `an empty file and a missing one have no model, and the error says why`() throws {
        let folder = try StoreFolder()
        let missing = try #require(coreDataError { _ = try StoredModel(ofStoreAt: folder.url()) })
        #expect(missing.message.contains("There is no store at"))
        try Data().write(to: folder.url())
        let empty = try #require(coreDataError { _ = try StoredModel(ofStoreAt: folder.url()) })
        #expect(empty.message.contains("is empty"))
    }

    @Test func `a damaged header is distinguished from a file that is not a database`() throws {
        for (place, byte, says) in [
            (16, 7, "the page size 1792"), (19, 9, "format versions 1 and 9"), (21, 0, "bytes 21 to 23"),
        ] as [(Int, UInt8, String)] {
            let folder = try made()
            try folder.raw().setJournalMode(.delete)
            var data = try Data(contentsOf: folder.url())
            data[place] = byte
            try data.write(to: folder.url())
            try refuse(
                folder, code: CocoaError.Code.fileReadCorruptFile.rawValue, says: ["header", "is damaged", says],
                causedBy: SQLiteError.corrupt)
        }
    }

    @Test func `a truncated store`() throws {
        for lost in [1, 4096, 20_000] {
            let folder = try made()
            let data = try Data(contentsOf: folder.url())
            try data.dropLast(lost).write(to: folder.url())
            try refuse(
                folder, code: CocoaError.Code.fileReadCorruptFile.rawValue, says: ["is truncated"],
                causedBy: SQLiteError.corrupt)
        }
    }

    @Test func `a SQLite file that is not a store`() throws {
        let folder = try StoreFolder()
        try folder.raw().execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
        try refuse(folder, code: NSPersistentStoreTypeMismatchError, says: ["not a Core Data store", "Z_METADATA"])
    }

    @Test func `a store without metadata, with NULL, and with damaged metadata`() throws {
        for (sql, says) in [
            ("DELETE FROM Z_METADATA", "is empty"), ("UPDATE Z_METADATA SET Z_PLIST = NULL", "Z_PLIST"),
            ("UPDATE Z_METADATA SET Z_UUID = NULL", "Z_UUID"),
            ("UPDATE Z_METADATA SET Z_PLIST = X'62706C6973743030FF'", "Test.sqlite' (Z_PLIST"),
            ("UPDATE Z_METADATA SET Z_PLIST = X'62706C6973743030FF'", "not a property list"),
            ("UPDATE Z_METADATA SET Z_PLIST = CAST('[]' AS BLOB)", "propert"),
        ] {
            let folder = try made()
            try folder.raw().execute(sql)
            try refuse(folder, code: NSPersistentStoreIncompatibleSchemaError, says: [says])
        }
    }

    @Test func `a model that does not fit is answered with the entities that differ`() throws {
        let folder = try made()
        let error = try #require(throws: CoreDataError.self) { try folder.open(TypesModel.model) }
        #expect(error.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        #expect(error.details.count == 8)
        #expect(
            error.details.compactMap(\.entity).sorted() == [
                "Author", "Book", "Comic", "Everything", "Friend", "Page", "Shelf", "Tag",
            ])
        try refuse(
            folder, model: TypesModel.model, code: NSPersistentStoreIncompatibleVersionHashError,
            says: ["'Tag' is in the store only", "'Everything' is in the model only"])
        let changed = CompiledModel(
            entities: LibraryModel.model.entities.map { entity in
                CompiledEntity(
                    number: entity.number, name: entity.name, superentity: entity.superentity, root: entity.root,
                    family: entity.family, attributes: entity.attributes, relationships: entity.relationships,
                    versionHash: entity.name == "Page" ? LibraryModel.hash(77) : entity.versionHash)
            })
        try refuse(
            folder, model: changed, code: NSPersistentStoreIncompatibleVersionHashError, says: ["'Page' has changed"])
    }

    @Test func `a store with a missing table or column`() throws {
        let folder = try made()
        try folder.raw().execute("ALTER TABLE ZPAGE DROP COLUMN ZNUMBER")
        try refuse(folder, code: NSPersistentStoreIncompatibleSchemaError, says: ["ZNUMBER", "Page.number"])
    }

    @Test func `a store whose entities are numbered in another way`() throws {
        let folder = try made()
        try folder.raw().execute(
            "UPDATE Z_PRIMARYKEY SET Z_NAME = CASE Z_ENT WHEN 1 THEN 'Tag' WHEN 7 THEN 'Author' ELSE Z_NAME END")
        try refuse(folder, code: NSPersistentStoreIncompatibleSchemaError, says: ["numbers its entities"])
    }

    @Test func `a stale name of a renamed entity does no harm`() throws {
        let folder = try made()
        try folder.raw().execute("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Scribe' WHERE Z_ENT = 1")
        #expect(try folder.open().rows(LibraryModel.author).0.count == 1)
    }

    @Test func `a locked store`() throws {
        let folder = try made()
        let other = try folder.raw()
        try other.setJournalMode(.delete)
        try other.begin(.exclusive)
        try other.execute("UPDATE ZAUTHOR SET ZAGE = 5")
        let start = Date()
        let error = try #require(throws: CoreDataError.self) { try folder.open() }
        #expect(error.errorCode == NSPersistentStoreTimeoutError)
        #expect((error.cause as? SQLiteError)?.isBusy == true)
        #expect(Date().timeIntervalSince(start) < 5)
        try other.rollback()
        _ = try folder.open()
    }

    @Test func `a save while another process writes`() throws {
        let folder = try made()
        let store = try folder.open()
        let other = try folder.raw()
        try other.begin(.immediate)
        let error = try #require(throws: CoreDataError.self) {
            try store.insert(LibraryModel.tag, ["name": .string("x")])
        }
        #expect(error.errorCode == NSPersistentStoreTimeoutError)
        try other.rollback()
        try store.insert(LibraryModel.tag, ["name": .string("x")])
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "a small disk cannot be mounted here"))
    func `a folder that cannot be written`() throws {
        let folder = try made()
        let disk = try #require(try SmallDisk(folder: folder))
        try FileManager.default.copyItem(at: folder.url(), to: disk.url("Test.sqlite"))
        try disk.setReadOnly(true)
        let error = try #require(throws: CoreDataError.self) {
            try SQLiteStore.open(url: disk.url("Test.sqlite"), model: LibraryModel.model)
        }
        #expect(error.errorCode == CocoaError.Code.fileWriteNoPermission.rawValue)
        let new = try #require(throws: CoreDataError.self) {
            try SQLiteStore.open(url: disk.url("New.sqlite"), model: LibraryModel.model)
        }
        #expect(new.errorCode == CocoaError.Code.fileWriteNoPermission.rawValue)
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try SQLiteStore.open(url: disk.url("Test.sqlite"), model: LibraryModel.model, options: options)
        #expect(try store.rows(LibraryModel.author).0.count == 1)
        store.close()
    }
}
