import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
import Testing

@Suite("Stores that keep a history")
struct HistoryOpeningTests {
    private let model = LibraryModel.model

    /// The form of macOS 10.13: the names are part of the transactions.
    private static let oldForm = """
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR );
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0);
        """

    private func historyTables(_ folder: StoreFolder) throws -> [String] {
        try folder.raw().lines("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'A%' ORDER BY rowid")
    }

    @Test func `a store has a history only when it was asked for`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.tag)
        #expect(try historyTables(folder) == [])
        store.close()
        let again = try folder.openWithHistory()
        #expect(try historyTables(folder) == ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"])
        try again.insert(LibraryModel.tag)
        #expect(try folder.changes() == ["0|7|2|1|"])
        again.close()
        let schema = try folder.raw().lines("SELECT * FROM sqlite_master")
        try folder.openWithHistory().close()
        #expect(try folder.raw().lines("SELECT * FROM sqlite_master") == schema)
        #expect(try folder.raw().lines("SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == ["3"])
        #expect(try StoreVerification.issues(of: folder.url(), model: model) == [])
    }

    @Test func `a history continues without the option, and with the option set to false`() throws {
        let folder = try StoreFolder()
        for value in [true, nil, false] {
            let context = GraphLibrary.context(
                try GraphLibrary.coordinator(
                    at: folder.url(), options: value.map { [NSPersistentHistoryTrackingKey: $0] }))
            try context.make("Tag")
            try context.save()
        }
        #expect(
            try folder.raw().lines("SELECT ZCHANGETYPE, ZENTITYPK, ZTRANSACTIONID FROM ACHANGE") == [
                "0|1|1", "0|2|2", "0|3|3",
            ])
    }

    @Test func `a description turns the history on, and a value of another kind is rejected`() throws {
        let folder = try StoreFolder()
        let description = NSPersistentStoreDescription(url: folder.url())
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        let container = NSPersistentContainer(name: "Library", managedObjectModel: GraphLibrary.model())
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { #expect($1 == nil) }
        #expect(try historyTables(folder).count == 3)
        expectError(.persistentStoreOpen) {
            _ = try GraphLibrary.coordinator(options: [NSPersistentHistoryTrackingKey: "yes please"])
        }
    }

    @Test func `a history that another process turns on is written at once`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.tag)
        try folder.openWithHistory().close()
        try store.insert(LibraryModel.tag)
        #expect(try folder.changes() == ["0|7|2|1|"])
    }

    @Test func `the oldest form is written in its own way`() throws {
        let folder = try StoreFolder()
        try folder.open().close()
        try folder.raw().execute(Self.oldForm)
        let store = try folder.openWithHistory()
        var request = SaveRequest()
        request.author = "ann"
        request.contextName = "main"
        request.insert(model[LibraryModel.tag], key: -1)
        try store.save(request)
        #expect(try historyTables(folder) == ["ACHANGE", "ATRANSACTION"])
        #expect(try folder.changes() == ["0|7|1|1|"])
        #expect(
            try folder.raw().lines("SELECT Z_PK, Z_ENT, ZAUTHOR, ZCONTEXTNAME, ZPROCESSID FROM ATRANSACTION") == [
                "1|16002|ann|main|\(ProcessInfo.processInfo.processName)"
            ])
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: model) == [])
    }

    @Test func `columns that a table does not have are skipped`() throws {
        let folder = try StoreFolder()
        try folder.openWithHistory().close()
        let raw = try folder.raw()
        try raw.execute(
            "DROP TABLE ACHANGE; CREATE TABLE ACHANGE (ZENTITYPK INTEGER, ZMORE INTEGER, ZENTITY INTEGER, Z_PK INTEGER PRIMARY KEY)"
        )
        try raw.execute("DROP INDEX ATRANSACTION_ZAUTHORTS_INDEX; ALTER TABLE ATRANSACTION DROP COLUMN ZAUTHORTS")
        try raw.execute("ALTER TABLE ATRANSACTION DROP COLUMN ZQUERYGEN")
        let store = try folder.open()
        var request = SaveRequest()
        request.author = "ann"
        request.insert(model[LibraryModel.tag], key: -1)
        try store.save(request)
        #expect(try raw.lines("SELECT * FROM ACHANGE") == ["1|NULL|7|1"])
        #expect(try raw.lines("SELECT ZAUTHOR FROM ATRANSACTION") == ["ann"])
    }

    @Test func `numbers are those of the file, and records of keys that are too low are repaired`() throws {
        let folder = try StoreFolder()
        try folder.openWithHistory().close()
        let raw = try folder.raw()
        try raw.execute(
            """
            UPDATE Z_PRIMARYKEY SET Z_ENT = 17001 WHERE Z_NAME = 'CHANGE';
            DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTIONSTRING';
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT) VALUES (5, 16002);
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZTRANSACTIONID) VALUES (8, 17001, 5);
            INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (3, 16003, 'there');
            """)
        let issues = try StoreVerification.issues(of: folder.url(), model: model)
        #expect(
            issues == [
                "CHANGE: Z_MAX is 0, the highest key is 8", "TRANSACTION: Z_MAX is 0, the highest key is 5",
                "TRANSACTIONSTRING: Z_MAX is missing, the highest key is 3",
            ])
        let store = try folder.open()
        try store.insert(LibraryModel.tag)
        #expect(try raw.lines("SELECT Z_PK, Z_ENT, ZTRANSACTIONID FROM ACHANGE WHERE Z_PK > 8") == ["9|17001|6"])
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: model) == [])
    }

    @Test func `changes without a transaction and references that point to nothing are issues`() throws {
        let folder = try StoreFolder()
        let store = try folder.openWithHistory()
        try store.insert(LibraryModel.tag)
        store.close()
        try folder.raw().execute("UPDATE ACHANGE SET ZTRANSACTIONID = 9; UPDATE ATRANSACTION SET ZAUTHORTS = 9")
        #expect(
            try StoreVerification.issues(of: folder.url(), model: model) == [
                "ACHANGE: 1 rows belong to no transaction",
                "ATRANSACTION: 1 rows have a ZAUTHORTS that refers to no row",
            ])
    }

    @Test func `a read-only store cannot begin a history, and one that keeps a history opens with the option`() throws {
        let folder = try StoreFolder()
        try folder.open().close()
        let before = try folder.contents()
        let error = try #require(throws: CoreDataError.self) {
            try folder.open {
                $0.tracksHistory = true
                $0.isReadOnly = true
            }
        }
        #expect(error.errorCode == NSPersistentStoreOpenError)
        for part in [NSPersistentHistoryTrackingKey, "for writing"] { #expect(error.message.contains(part)) }
        #expect(try folder.contents() == before)
        try folder.openWithHistory().close()
        try folder.open {
            $0.tracksHistory = true
            $0.isReadOnly = true
        }.close()
    }

    @Test func `a history that continues without the option gets the columns for preserved values`() throws {
        let folder = try StoreFolder()
        let model = try Build.model(
            Build.entity("Thing", [Build.attribute("kept") { $0.preservesValueInHistoryOnDeletion = true }])
        ).compiled()
        try folder.openWithHistory(model).close()
        try folder.raw().execute("ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0")
        let store = try folder.open(model)
        let thing = try store.insert(1, ["kept": .string("x")])
        var request = SaveRequest()
        request.deletions = [.init(row: thing, version: 1)]
        try store.save(request)
        #expect(try folder.raw().lines("SELECT ZTOMBSTONE0 FROM ACHANGE ORDER BY Z_PK") == ["NULL", "x"])
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: model) == [])
    }
}
