import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormRows

@Suite("Rows that are inserted or updated by their unique values", .overEachStore)
struct UpsertRowsTests {
    private struct Item {
        var title = ""
        var isbn: String?
        var stock = 0
    }

    private func plan(_ entity: CompiledEntity) throws -> WritePlan<Item> {
        func slot(_ name: String) throws -> Int {
            guard case .attribute(let slot)? = entity.slot(named: name) else { throw POSIXError(.EINVAL) }
            return slot
        }
        let title = try #require(MemoryLayout<Item>.offset(of: \.title))
        let isbn = try #require(MemoryLayout<Item>.offset(of: \.isbn))
        let stock = try #require(MemoryLayout<Item>.offset(of: \.stock))
        return WritePlan(
            entity: entity.number,
            fields: [
                .init(slot: try slot("title"), kind: .string, offset: title),
                .init(slot: try slot("isbn"), kind: .optionalString, offset: isbn),
                .init(slot: try slot("stock"), kind: .int, offset: stock),
            ]
        ) { item, field in
            switch field {
            case 0: .string(item.title)
            case 1: item.isbn.map { .string($0) } ?? .null
            default: .int(Int64(item.stock))
            }
        }
    }

    private func upsert(
        _ items: [Item], _ context: NSManagedObjectContext, entity name: String = "Book",
        updating: [String]? = ["title", "stock"]
    ) throws -> BatchCounts? {
        let entity = try #require(context.compiledModel?.entity(named: name))
        let slots = updating?.compactMap { name -> Int? in
            if case .attribute(let slot)? = entity.slot(named: name) { slot } else { nil }
        }
        return try context.upsertRows(
            RowBatch(items, plan: try plan(entity)), by: [UpsertRule(constraint: ["isbn"], updates: slots)])
    }

    private func rows(_ folder: StoreFolder) throws -> [String] {
        try folder.raw().lines("SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE, ZISBN, ZSTOCK FROM ZBOOK ORDER BY Z_PK")
    }

    @Test func `an update uses up no key, raises the version, and keeps the other columns`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        try context.make("Book", ["title": "old", "isbn": "1", "year": 1900])
        try context.save()
        let items = [
            Item(title: "new", isbn: "1", stock: 1), Item(title: "a", isbn: "2"), Item(title: "b", isbn: "2"),
            Item(title: "c", isbn: nil), Item(title: "d", isbn: nil),
        ]
        let counts = try #require(try upsert(items, context))
        #expect(counts.inserted == 4 - 1 && counts.updated == 2 && counts.ignored == 0)
        let book = try #require(context.compiledModel?.entity(named: "Book")).number
        #expect(
            try rows(folder) == [
                "1|\(book)|2|new|1|1", "2|\(book)|2|b|2|0", "3|\(book)|1|c|NULL|0", "4|\(book)|1|d|NULL|0",
            ])
        #expect(try folder.raw().lines("SELECT ZYEAR FROM ZBOOK WHERE Z_PK = 1") == ["1900"])
        #expect(try folder.raw().lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == ["4"])
        // The same once more changes nothing.
        #expect(try upsert([Item(title: "new", isbn: "1", stock: 1)], context)?.updated == 1)
        #expect(try rows(folder).first == "1|\(book)|2|new|1|1")
        #expect(try upsert([Item(title: "x", isbn: "1", stock: 9)], context, updating: nil)?.ignored == 1)
        #expect(try rows(folder).first == "1|\(book)|2|new|1|1")
    }

    @Test func `derived attributes follow`() throws {
        let folder = try StoreFolder()
        let model = GraphLibrary.model()
        model.entitiesByName["Book"]?.properties.append(
            Build.derived("heading", .stringAttributeType, "canonical:(title)"))
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model))
        _ = try upsert([Item(title: "Élan", isbn: "1"), Item(title: "Zoë", isbn: "2")], context)
        #expect(try context.all("Book", sort: "isbn").map { $0.text("heading") } == ["elan", "zoe"])
        _ = try upsert([Item(title: "Ünder", isbn: "1"), Item(title: "Ö", isbn: "3")], context)
        #expect(try context.all("Book", sort: "isbn").map { $0.text("heading") } == ["under", "zoe", "o"])
        #expect(try StoreVerification.issues(of: folder.url(), model: #require(context.compiledModel)) == [])
    }

    @Test func `a row of a sub-entity is not a row of the entity`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        try context.make("Novel", ["title": "novel", "isbn": "1", "genre": "crime"])
        try context.save()
        let before = try rows(folder)
        for entity in ["Book"] {
            let error = coreDataError {
                _ = try upsert([Item(title: "b", isbn: "2"), Item(isbn: "1")], context, entity: entity)
            }
            #expect(error?.errorCode == NSManagedObjectConstraintMergeError)
            #expect(error?.entity == "Book" && error?.key == "isbn" && error?.message.contains("Novel") == true)
        }
        #expect(try rows(folder) == before)
        // To itself it is one.
        #expect(try upsert([Item(title: "n", isbn: "1")], context, entity: "Novel")?.updated == 1)
        #expect(try context.all("Novel", "genre == 'crime' AND title == 'n'").count == 1)
    }

    @Test func `versions restart after the highest number`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        for isbn in ["1", "2", "3"] { try context.make("Book", ["title": "old", "isbn": isbn]) }
        try context.save()
        try folder.raw().execute(
            "UPDATE ZBOOK SET Z_OPT = CASE ZISBN WHEN '1' THEN 9223372036854775807 WHEN '2' THEN NULL ELSE -5 END")
        _ = try upsert(["1", "2", "3"].map { Item(title: "new", isbn: $0) }, context)
        #expect(try folder.raw().lines("SELECT DISTINCT Z_OPT, typeof(Z_OPT) FROM ZBOOK") == ["1|integer"])
    }

    @Test func `the history contains insertions and updates`() throws {
        let library = try HistoryLibrary()
        try library.context.make("Book", ["title": "old", "isbn": "1"])
        try library.context.make("Book", ["title": "same", "isbn": "2"])
        try library.context.save()
        let token = library.token
        let keys = try library.context.all("Book", sort: "isbn").map {
            $0.objectID.uriRepresentation().lastPathComponent
        }
        let items = [
            Item(title: "new", isbn: "1", stock: 7), Item(title: "same", isbn: "2", stock: 7), Item(isbn: "3"),
            Item(title: "twice", isbn: "3"),
        ]
        #expect(try upsert(items, library.context)?.updated == 3)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let changes = try #require(try library.context.transactions(request).first?.changes)
        #expect(changes.map(\.text).sorted() == ["insert Book/p3", "update Book/\(keys[0])"])
        let updated = changes.first { $0.changeType == .update }?.updatedProperties?.map(\.name).sorted()
        #expect(updated == ["stock", "title"])
        try library.verify()
    }

    @Test func `where no index of the file enforces the constraint, it is left to objects`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        try context.make("Book", ["title": "old", "isbn": "1"])
        try context.save()
        let index = try #require(
            try folder.raw().lines("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE UNIQUE INDEX%ZISBN%'").first)
        try folder.raw().execute("DROP INDEX \"\(index)\"")
        var asked = 0
        let entity = try #require(context.compiledModel?.entity(named: "Book"))
        let items = [Item(isbn: "1")].lazy.map { item in
            asked += 1
            return item
        }
        let rules = [UpsertRule(constraint: ["isbn"], updates: [])]
        #expect(try context.upsertRows(RowBatch(AnySequence(items), plan: try plan(entity)), by: rules) == nil)
        #expect(asked == 0)
        #expect(try rows(folder).count == 1)
        // The transaction has ended: others can write.
        try folder.raw().execute("UPDATE ZBOOK SET ZTITLE = 'free'")
    }

    @Test func `unsaved changes of the hierarchy make it use objects, other changes do not`() throws {
        let context = try GraphLibrary.context()
        try context.make("Tag", ["name": "unsaved"])
        #expect(try upsert([Item(title: "a", isbn: "1")], context)?.inserted == 1)
        try context.make("Novel", ["title": "unsaved"])
        #expect(try upsert([Item(title: "a", isbn: "1")], context) == nil)
    }

    @Test func `an interrupted batch stops, and writes nothing`() throws {
        let context = try GraphLibrary.context()
        let items = (0..<10_000).lazy.map { number in
            if number == 3000 { context.interruptReading() }
            return Item(title: "t", isbn: "\(number)")
        }
        let entity = try #require(context.compiledModel?.entity(named: "Book"))
        let error = coreDataError { _ = try context.insertRows(RowBatch(AnySequence(items), plan: try plan(entity))) }
        #expect(error?.errorCode == CocoaError.Code.userCancelled.rawValue)
        context.resumeReading()
        #expect(try context.all("Book").isEmpty)
    }
}
