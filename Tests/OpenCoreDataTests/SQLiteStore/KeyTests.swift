import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing

@Suite("Primary keys")
struct KeyTests {
    @Test func `keys are counted for a whole hierarchy in its root's row`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        #expect(try store.insert(LibraryModel.book).key == 1)
        #expect(try store.insert(LibraryModel.comic).key == 2)
        #expect(try store.reserveKeys(root: LibraryModel.book, count: 10) == 3)
        #expect(try store.insert(LibraryModel.book).key == 13)
        var request = SaveRequest()
        request.deletions = [.init(row: .init(entity: LibraryModel.book, key: 13), version: 1)]
        try store.save(request)
        #expect(try store.insert(LibraryModel.comic).key == 14)
        #expect(throws: CoreDataError.self) { try store.reserveKeys(root: LibraryModel.comic, count: 1) }
        #expect(throws: CoreDataError.self) { try store.reserveKeys(root: LibraryModel.book, count: 0) }
        #expect(
            try folder.raw().lines("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1")
                == [
                    "1|Author|0|0", "2|Book|0|14", "3|Comic|2|0", "4|Friend|0|0", "5|Page|0|0", "6|Shelf|0|0",
                    "7|Tag|0|0",
                ])
    }

    @Test func `a recorded highest key that is too low is repaired`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try folder.raw().execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (41, 7, 1)")
        #expect(try store.insert(LibraryModel.tag).key == 42)
        #expect(try folder.raw().lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 7") == ["42"])
        try folder.raw().execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 7")
        #expect(try store.insert(LibraryModel.tag).key == 43)
        #expect(try folder.raw().lines("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 7") == ["Tag|43"])
    }

    @Test func `a row with a key that was obtained before raises the highest key`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.tag, key: 100)
        #expect(try store.insert(LibraryModel.tag).key == 101)
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: LibraryModel.model) == [])
    }

    @Test func `the last primary key can be used, and the version after the last restarts`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try folder.raw().execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max - 1)")
        let row = try store.insert(LibraryModel.tag)
        #expect(row.key == .max)
        #expect(throws: CoreDataError.self) { try store.insert(LibraryModel.tag) }
        try folder.raw().execute("UPDATE ZTAG SET Z_OPT = \(Int64.max)")
        var request = SaveRequest()
        request.update(row, version: .max, in: LibraryModel.model, ["name": .string("a")])
        #expect(try store.save(request).updatedVersions == [1])
        #expect(try folder.raw().lines("SELECT Z_OPT FROM ZTAG") == ["1"])
    }

    @Test func `keys that are used up are an error`() throws {
        let store = try SQLiteStore.inMemory(model: LibraryModel.model)
        try store.insert(LibraryModel.tag, key: .max)
        let error = try #require(throws: CoreDataError.self) { try store.insert(LibraryModel.tag) }
        #expect(error.message.contains("no primary keys left"))
    }

    @Test func `a new store is made as Core Data makes it`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let identifier = store.identifier
        #expect(UUID(uuidString: identifier)?.uuidString == identifier)
        try store.setMetadata(["own": "value", "NSStoreType": "other"])
        try store.save(SaveRequest())
        store.close()
        let raw = try folder.raw()
        #expect(try raw.lines("PRAGMA page_size") == ["4096"])
        #expect(try raw.lines("PRAGMA auto_vacuum") == ["2"])
        #expect(try raw.lines("PRAGMA journal_mode") == ["wal"])
        #expect(try raw.lines("SELECT Z_VERSION, Z_UUID, typeof(Z_PLIST) FROM Z_METADATA") == ["1|\(identifier)|blob"])
        #expect(try raw.lines("SELECT count(*) FROM Z_MODELCACHE") == ["0"])
        let metadata = try SQLiteStore.metadata(of: folder.url())
        #expect(metadata["NSStoreType"] as? String == "SQLite")
        #expect(metadata["NSStoreUUID"] as? String == identifier)
        #expect(metadata["own"] as? String == "value")
        #expect(metadata["_NSAutoVacuumLevel"] as? String == "2")
        #expect(metadata["NSPersistenceFrameworkVersion"] as? Int == 1522)
        #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
        #expect(metadata["NSStoreModelVersionIdentifiers"] as? [String] == ["1"])
        #expect(metadata["NSStoreModelVersionHashes"] as? [String: Data] == LibraryModel.model.versionHashes)
        #expect((metadata["NSStoreModelVersionHashesDigest"] as? String)?.isEmpty == false)
        #expect((metadata["NSStoreModelVersionChecksumKey"] as? String)?.isEmpty == false)
    }

    @Test func `keys of the metadata that we do not know, tables, columns and triggers stay`() throws {
        let folder = try StoreFolder()
        var store = try folder.open()
        try store.insert(LibraryModel.tag, ["name": .string("x")])
        store.close()
        let raw = try folder.raw()
        try raw.execute("CREATE TABLE other (a); INSERT INTO other VALUES (1); ALTER TABLE ZTAG ADD ZFOREIGN VARCHAR")
        try raw.execute(
            """
            UPDATE ZTAG SET ZFOREIGN = 'kept';
            CREATE TRIGGER watch AFTER UPDATE ON ZTAG BEGIN UPDATE other SET a = a + 1;
            SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZTAG', 1, 1, 'a', 1); END
            """)
        var statement = try raw.statement("SELECT Z_PLIST FROM Z_METADATA")
        #expect(try statement.step())
        var list = try #require(
            try PropertyListSerialization.propertyList(from: statement.data(0) ?? Data(), format: nil) as? [String: Any]
        )
        statement.reset()
        list["_NSStoreAncillaryModelVersionHashesMetadataKey"] = ["a": Data([1])]
        list["app"] = 3
        var write = try raw.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        try write.bind(PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0), at: 1)
        try write.run()
        store = try folder.open()
        #expect(store.metadata["app"] as? Int == 3)
        try store.setMetadata(["app": 4, "date": Date(timeIntervalSinceReferenceDate: 1)])
        var request = SaveRequest()
        request.update(
            .init(entity: LibraryModel.tag, key: 1), version: 1, in: LibraryModel.model, ["name": .string("y")])
        try store.save(request)
        store.close()
        let metadata = try SQLiteStore.metadata(of: folder.url())
        #expect(metadata["app"] as? Int == 4 && metadata["date"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
        #expect(metadata["_NSStoreAncillaryModelVersionHashesMetadataKey"] as? [String: Data] == ["a": Data([1])])
        #expect(try folder.raw().lines("SELECT ZFOREIGN, ZNAME, a FROM ZTAG, other") == ["kept|y|2"])
    }

    @Test func `metadata that no property list can hold is rejected by its key`() throws {
        let store = try SQLiteStore.inMemory(model: LibraryModel.model)
        let error = try #require(throws: CoreDataError.self) { try store.setMetadata(["bad": UUID()]) }
        #expect(error.key == "bad")
        #expect(store.metadata["NSStoreType"] as? String == "InMemory")
    }

    @Test func `a derived attribute is left to the file's triggers`() throws {
        let attributes = [
            CompiledAttribute(name: "length", owner: 1, type: .integer32, derivation: "length:(name)"),
            LibraryModel.attribute("name", 1, .string),
        ]
        let model = CompiledModel(entities: [
            CompiledEntity(
                number: 1, name: "Word", root: 1, family: 1...1, attributes: attributes, relationships: [],
                versionHash: LibraryModel.hash(1))
        ])
        let folder = try StoreFolder()
        let store = try folder.open(model)
        try folder.raw().execute(
            """
            CREATE TRIGGER Z_DA_ZWORD_Word_length_SOURCE_INSERT AFTER INSERT ON ZWORD FOR EACH ROW BEGIN
            UPDATE ZWORD SET ZLENGTH = length(NEW.ZNAME) WHERE Z_PK = NEW.Z_PK;
            SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZWORD', Z_ENT, Z_PK, 'length', ZLENGTH)
            FROM ZWORD WHERE Z_PK = NEW.Z_PK; END
            """)
        try store.insert(1, ["name": .string("four"), "length": .int(99)])
        var request = SaveRequest()
        request.update(.init(entity: 1, key: 1), version: 1, in: model, ["length": .int(99)])
        try store.save(request)
        #expect(try folder.raw().lines("SELECT ZLENGTH, Z_OPT FROM ZWORD") == ["4|2"])
    }
}
