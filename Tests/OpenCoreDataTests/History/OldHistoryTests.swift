import Foundation
@testable import OpenCoreData
import SwormSQLite
import Testing

@Suite("Histories of another form, and damaged ones")
struct OldHistoryTests {
    @Test func `the oldest form, with its strings in the transactions, is read, written and purged`() throws {
        let folder = try StoreFolder()
        let model = GraphLibrary.model()
        try SQLiteStore.open(url: folder.url(), model: model.compiled()).close()
        let raw = try folder.raw()
        let tag = try #require(try model.compiled().entity(named: "Tag")).number
        try raw.execute(
            """
            CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR );
            INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1);
            INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 1000, 'ann', 'org.old', 'main', 'oldd');
            INSERT INTO ACHANGE VALUES (1, 16001, NULL, 2, \(tag), 9, 1, NULL);
            """)
        let context = try GraphLibrary.context(at: folder.url())
        context.transactionAuthor = "bob"
        try context.make("Tag")
        try context.save()
        let transactions = try context.transactions()
        #expect(transactions.map(\.author) == ["ann", "bob"])
        #expect(transactions[0].bundleID == "org.old")
        #expect(transactions[0].contextName == "main")
        #expect(transactions[0].processID == "oldd")
        #expect(transactions[0].timestamp == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(transactions.map { $0.changes?.map(\.text) ?? [] } == [["delete Tag/p9"], ["insert Tag/p1"]])
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: transactions[1]))
        #expect(try raw.lines("SELECT Z_PK FROM ACHANGE") == ["2"])
        #expect(try StoreVerification.issues(of: folder.url(), model: model.compiled()) == [])
    }

    @Test func `invalid rows are ignored`() throws {
        let library = try HistoryLibrary()
        let tag = try library.saveTag("a", author: "ann")
        tag.setValue("b", forKey: "name")
        try library.context.save()
        let raw = try library.folder.raw()
        let number = tag.objectID.entity.name == "Tag" ? try raw.lines("SELECT Z_ENT FROM ZTAG")[0] : ""
        try raw.execute(
            """
            INSERT INTO ACHANGE VALUES
                (10, 16001, NULL, 0, 99, 1, 1, NULL), (11, 16001, NULL, 0, -1, 1, 1, NULL),
                (12, 16001, NULL, 0, \(Int64.max), 1, 1, NULL), (13, 16001, NULL, 7, \(number), 1, 1, NULL),
                (14, 16001, NULL, NULL, \(number), 1, 1, NULL), (15, 16001, NULL, 0, NULL, 1, 1, NULL),
                (16, 16001, NULL, 0, \(number), NULL, 1, NULL), (17, 16001, NULL, 0, \(number), -5, 1, NULL),
                (18, 16001, NULL, 0, \(number), 1, 77, NULL), (19, 16001, NULL, 0, \(number), 1, NULL, NULL),
                (20, 16001, NULL, 'x', 'y', x'00', 1, NULL), (21, 16001, NULL, 0, \(number), 1, 'z', NULL),
                (\(Int64.min), 16001, NULL, \(Int64.min), \(Int64.min), \(Int64.min), \(Int64.min), NULL);
            INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP, ZAUTHORTS, ZAUTHOR, ZCONTEXTNAMETS) VALUES
                (30, NULL, 77, NULL, 'x'), (31, 'no time', NULL, x'FF', NULL), (32, 9e300, \(Int64.min), 7, x''),
                (33, -1e999, NULL, 'own', NULL);
            INSERT INTO ATRANSACTIONSTRING VALUES (40, 16003, NULL, x'FFFE'), (41, 16003, NULL, NULL);
            UPDATE ATRANSACTION SET ZBUNDLEIDTS = 40, ZPROCESSIDTS = 41 WHERE Z_PK = 30;
            """)
        let transactions = try library.context.transactions()
        #expect(transactions.map(\.transactionNumber) == [1, 2, 30, 31, 32, 33])
        #expect(transactions.map { $0.changes?.count ?? -1 } == [1, 1, 0, 0, 0, 0])
        #expect(transactions.map(\.author) == ["ann", "ann", nil, nil, "7", "own"])
        #expect(transactions[2...].allSatisfy { $0.bundleID.isEmpty && $0.processID.isEmpty })
        #expect(transactions[2...].allSatisfy { $0.timestamp == Date(timeIntervalSinceReferenceDate: 0) })
        #expect(!"\(transactions.map(\.timestamp))\(transactions)\(transactions[0].changes ?? [])".isEmpty)
        #expect(try library.context.history(.init(), .objectIDs, as: [NSManagedObjectID].self) == [tag.objectID])
        #expect(try library.context.transactions(.fetchHistory(after: library.token)).isEmpty)
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: transactions[2]))
        #expect(try raw.lines("SELECT count(*) FROM ACHANGE") == ["0"])
    }

    @Test func `bits that do not fit the entity name no property`() throws {
        let library = try HistoryLibrary()
        let novel = try library.context.make("Novel", ["title": "War"])
        try library.context.save()
        novel.setValue("Peace", forKey: "title")
        try library.context.save()
        let raw = try library.folder.raw()
        func names(_ bits: String) throws -> [String]? {
            try raw.execute("UPDATE ACHANGE SET ZCOLUMNS = \(bits) WHERE ZCHANGETYPE = 1")
            let changes = try library.context.history(.init(), .changesOnly, as: [NSPersistentHistoryChange].self)
            return changes.last?.updatedProperties?.map(\.name).sorted()
        }
        // To-ones: author shelf. Attributes: isbn stock title year, and genre of Novel. To-manys: reviews tags.
        #expect(try names("x'0800'") == ["title"])
        #expect(try names("x'A280'") == ["author", "genre", "isbn", "tags"])
        // A bit behind the last one, another length, nothing, no bits.
        for bits in ["x'0840'", "x'08'", "x'080000'", "x'0000'", "x''", "NULL", "'text'", "5"] {
            #expect(try names(bits) == nil, "\(bits)")
        }
    }

    /// Lets the transactions look like those of earlier versions of this library, which recorded the process as the bundle, too.
    private func makeEarlier(_ raw: Connection) throws {
        try raw.execute("UPDATE ATRANSACTION SET ZBUNDLEIDTS = ZPROCESSIDTS")
    }

    @Test func `bits of earlier versions of this library are read in their order where a change decides it`() throws {
        let library = try HistoryLibrary()
        let novel = try library.context.make("Novel", ["title": "War"])
        try library.context.save()
        for title in ["Peace", "and"] {
            novel.setValue(title, forKey: "title")
            try library.context.save()
        }
        let raw = try library.folder.raw()
        // The names in order, from bit 1: author genre isbn reviews scratch shelf stock tags title year.
        func names(_ first: String, _ second: String) throws -> [[String]?] {
            try raw.execute("UPDATE ACHANGE SET ZCOLUMNS = x'\(first)' WHERE Z_PK = 2")
            try raw.execute("UPDATE ACHANGE SET ZCOLUMNS = x'\(second)' WHERE Z_PK = 3")
            let changes = try library.context.history(.init(), .changesOnly, as: [NSPersistentHistoryChange].self)
            return changes.dropFirst().map { $0.updatedProperties?.map(\.name).sorted() }
        }
        // Bit 9 is none of Core Data's nine.
        #expect(try names("2000", "0040") == [["isbn"], nil])
        try makeEarlier(raw)
        #expect(try names("2000", "0040") == [["genre"], ["title"]])
        #expect(try names("0040", "2000") == [["title"], ["genre"]])
        // Bit 0 is Core Data's: a program of its own has no bundle either.
        #expect(try names("2000", "8000") == [["isbn"], ["author"]])
        // Both orders have bit 2 and bit 3.
        #expect(try names("2000", "1000") == [["isbn"], ["stock"]])
    }

    @Test func `values of deleted objects are read in the order of the version that wrote them`() throws {
        let base = Build.entity("Base", [Build.attribute("zeta") { $0.preservesValueInHistoryOnDeletion = true }])
        let sub = Build.entity("Sub", [Build.attribute("alpha") { $0.preservesValueInHistoryOnDeletion = true }])
        base.subentities = [sub]
        let library = try HistoryLibrary(model: Build.model(base, sub))
        let thing = try library.context.make("Sub", ["alpha": "a", "zeta": "z"])
        try library.context.save()
        thing.setValue("b", forKey: "alpha")
        try library.context.save()
        library.context.delete(thing)
        try library.context.save()
        let raw = try library.folder.raw()
        func tombstone() throws -> [AnyHashable: Any]? {
            try library.context.history(.init(), .changesOnly, as: [NSPersistentHistoryChange].self).last?.tombstone
        }
        #expect(try raw.lines("SELECT ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2") == ["z|b"])
        #expect(try tombstone() as? [String: String] == ["alpha": "b", "zeta": "z"])
        try makeEarlier(raw)
        // Bit 2 is none of Core Data's two.
        try raw.execute("UPDATE ACHANGE SET ZCOLUMNS = x'20' WHERE ZCHANGETYPE = 1")
        #expect(try tombstone() as? [String: String] == ["alpha": "z", "zeta": "b"])
    }

    @Test func `a value of a deleted object that does not fit its attribute is left out`() throws {
        let types: [NSAttributeType] = [
            .stringAttributeType, .integer16AttributeType, .UUIDAttributeType, .dateAttributeType,
            .decimalAttributeType, .URIAttributeType, .binaryDataAttributeType, .booleanAttributeType,
        ]
        let attributes = types.enumerated().map { index, type in
            Build.attribute("a\(index)", type) { $0.preservesValueInHistoryOnDeletion = true }
        }
        let library = try HistoryLibrary(model: Build.model(Build.entity("Thing", attributes)))
        let thing = try library.context.make("Thing", ["a0": "x"])
        try library.context.save()
        library.context.delete(thing)
        try library.context.save()
        let raw = try library.folder.raw()
        for value in ["x'00'", "'text'", "5", "1e300", "-1e999", "''", "x''", "\(Int64.max)", "NULL"] {
            let columns = types.indices.map { "ZTOMBSTONE\($0) = \(value)" }.joined(separator: ", ")
            try raw.execute("UPDATE ACHANGE SET \(columns) WHERE ZCHANGETYPE = 2")
            let changes = try library.context.history(.init(), .changesOnly, as: [NSPersistentHistoryChange].self)
            let tombstone = try #require(changes.last).tombstone
            #expect((tombstone == nil) == (value == "NULL"))
            #expect(tombstone?.count ?? 0 < types.count)
            #expect(!"\(tombstone ?? [:])".isEmpty)
        }
    }

    @Test func `numbers at the ends of their range do no harm`() throws {
        let library = try HistoryLibrary()
        try library.saveTag("a")
        let token = try #require(library.token)
        let raw = try library.folder.raw()
        try raw.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_ENT = 16002")
        let highest = try #require(library.token)
        #expect(try library.context.transactions(.fetchHistory(after: highest)).isEmpty)
        #expect(try library.context.transactions(.fetchHistory(after: token)).isEmpty)
        #expect(throws: CocoaError.self) { try library.saveTag("b") }
        try raw.execute("UPDATE ATRANSACTION SET Z_PK = \(Int64.min)")
        #expect(try library.context.transactions().map(\.transactionNumber) == [Int64.min])
        #expect(try library.context.transactions(.fetchHistory(after: token)).isEmpty)
        try raw.execute("DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
        #expect(throws: CocoaError.self) {
            try library.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        }
    }

    @Test func `a history without the columns that every form has is an error that names them`() throws {
        let library = try HistoryLibrary()
        try library.saveTag("a")
        try library.folder.raw().execute("ALTER TABLE ACHANGE DROP COLUMN ZENTITYPK")
        let error = coreDataError { try library.context.execute(NSPersistentHistoryChangeRequest()) }
        #expect(error?.errorCode == NSPersistentStoreIncompatibleSchemaError)
        #expect(error?.message.contains("'ACHANGE' has no ZENTITYPK") == true)
        try library.folder.raw().execute("DROP TABLE ATRANSACTION; CREATE TABLE ATRANSACTION (ZTIMESTAMP FLOAT)")
        for request in [NSPersistentHistoryChangeRequest(), .deleteHistory(before: Date())] {
            let error = coreDataError { try library.context.execute(request) }
            #expect(error?.errorCode == NSPersistentStoreIncompatibleSchemaError)
            #expect(error?.message.contains("'ATRANSACTION' has no Z_PK") == true)
        }
        #expect(library.token == nil)
    }
}
