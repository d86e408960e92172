#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Batches on a server: upserts", .enabled(if: PostgresServer.isEnabled))
struct BatchUpsertOnServerTests {
    private struct Item: Sendable {
        var title = ""
        var isbn: String?
        var stock = 0

        static let fields: [BatchField<Item>] = [
            .init("title", \.title) { .string($0) }, .init("isbn", \.isbn) { $0.map { .string($0) } ?? .null },
            .init("stock", \.stock) { .int(Int64($0)) },
        ]
    }

    private func upsert(
        _ items: [Item], _ context: NSManagedObjectContext, entity: String = "Book",
        updating: [String]? = ["title", "stock"]
    ) throws -> [Int]? {
        try context.upsert(items, as: entity, Item.fields, on: ["isbn"], updating: updating)
    }

    @Test func `values are inserted, update rows, and repeat each other`() throws {
        let stores = try BatchStores { try $0.make("Book", ["title": "old", "isbn": "1", "year": 1900]) }
        let items = [
            Item(title: "new", isbn: "1", stock: 1), Item(title: "a", isbn: "2"), Item(title: "b", isbn: "2"),
            Item(title: "c", isbn: nil), Item(title: "d", isbn: nil),
        ]
        #expect(stores.both { try upsert(items, $0) }.value == [3, 2, 0])
        try stores.expectSame()
        // The same once more changes nothing.
        #expect(stores.both { try upsert([Item(title: "new", isbn: "1", stock: 1)], $0) }.value == [0, 1, 0])
        #expect(
            stores.both { try upsert([Item(title: "x", isbn: "1", stock: 9)], $0, updating: nil) }.value == [0, 0, 1])
        #expect(
            stores.both { try upsert([Item(title: "x", isbn: "1", stock: 9)], $0, updating: []) }.value == [0, 1, 0])
        #expect(
            stores.both {
                try upsert([Item(title: "x", isbn: "1"), Item(title: "y", isbn: "9")], $0, updating: ["stock"])
            }
            .value == [1, 1, 0])
        try stores.expectSame()
        #expect(stores.both { try upsert([], $0) }.value == [0, 0, 0])
    }

    @Test func `a row of a sub-entity is not a row of the entity`() throws {
        let stores = try BatchStores { try $0.make("Novel", ["title": "novel", "isbn": "1", "genre": "crime"]) }
        for updates in [["title"], [], nil] as [[String]?] {
            let outcome = stores.both(comparesMessages: true) {
                try upsert([Item(title: "b", isbn: "2"), Item(isbn: "1")], $0, updating: updates)
            }
            #expect((outcome.value == nil) == (updates != nil))
        }
        try stores.expectSame()
        #expect(stores.both { try upsert([Item(title: "n", isbn: "1")], $0, entity: "Novel") }.value == [0, 1, 0])
        try stores.expectSame()
    }

    @Test func `a constraint without an index is left to objects, and the values are not asked for`() throws {
        let stores = try BatchStores { try $0.make("Book", ["title": "old", "isbn": "1"]) }
        try PostgresStores.run("DROP INDEX \(stores.store.schema.prefix)\"Book_isbn_key\"")
        var asked = 0
        let items = [Item(isbn: "1")].lazy.map { item in
            asked += 1
            return item
        }
        #expect(
            try stores.server.upsert(AnySequence(items), as: "Book", Item.fields, on: ["isbn"], updating: []) == nil)
        #expect(try stores.server.upsert([Item()], as: "Book", Item.fields, on: ["title"], updating: []) == nil)
        #expect(asked == 0)
        // The transaction has ended: others can write.
        try PostgresStores.run("UPDATE \(stores.store.schema.prefix)\"Book\" SET title = 'free'")
    }

    @Test func `rows that cannot be inserted are only updated`() throws {
        let stores = try BatchStores { context in
            for index in 0..<3 { try context.make("Book", ["title": "t\(index)", "isbn": "\(index)"]) }
        }
        // No title, which is required.
        let fields = Array(Item.fields.dropFirst())
        func write(_ items: [Item], _ context: NSManagedObjectContext) throws -> [Int]? {
            try context.upsert(items, as: "Book", fields, on: ["isbn"], updating: ["stock"])
        }
        let known = (0..<3).map { Item(isbn: "\($0)", stock: $0 + 40) }
        #expect(stores.both { try write(known + known, $0) }.value == [0, 6, 0])
        #expect(
            stores.both(comparesMessages: true) { try write(known + [Item(isbn: "7")], $0) }.code
                == NSValidationMissingMandatoryPropertyError)
        #expect(stores.both(comparesMessages: true) { try write([Item(isbn: nil)], $0) }.value == nil)
        try stores.expectSame()
    }

    @Test(arguments: 1...6) func `random values leave the same rows`(seed: UInt64) throws {
        func model() -> NSManagedObjectModel {
            let model = GraphLibrary.model()
            if seed % 2 == 0 { model.entitiesByName["Book"]?.uniquenessConstraints = [["isbn"], ["stock"]] }
            return model
        }
        let stores = try BatchStores(model()) { context in
            for index in 0..<6 {
                try context.make(
                    index > 3 ? "Novel" : "Book", ["title": "t\(index)", "isbn": "i\(index)", "stock": 100 + index])
            }
        }
        var random = SeededRandom(seed: seed)
        for round in 0..<25 {
            let items = (0..<random.pick(12)).map { _ in
                Item(
                    title: "t\(random.pick(3))", isbn: random.chance(85) ? "i\(random.pick(14))" : nil,
                    stock: seed % 2 == 0 ? 100 + random.pick(40) : random.pick(3))
            }
            let entity = random.chance(25) ? "Novel" : "Book"
            let updates =
                random.pick([["title", "stock"], ["title"], ["stock", "isbn"], [], nil] as [[String]?]) ?? nil
            let comment = "seed \(seed), round \(round), \(entity) \(updates ?? ["none"]) \(items)"
            stores.both(comment) { try upsert(items, $0, entity: entity, updating: updates) }
            try stores.expectSame(comment)
        }
    }

    @Test(arguments: 1...6) func `random values of several entities leave the same rows`(seed: UInt64) throws {
        func model() -> NSManagedObjectModel {
            let model = GraphLibrary.model()
            if seed % 2 == 0 { model.entitiesByName["Book"]?.uniquenessConstraints = [["isbn"], ["stock"]] }
            return model
        }
        let stores = try BatchStores(model()) { context in
            for index in 0..<6 {
                try context.make(
                    index > 3 ? "Novel" : "Book", ["title": "t\(index)", "isbn": "i\(index)", "stock": 100 + index])
            }
        }
        var random = SeededRandom(seed: seed)
        for round in 0..<25 {
            let items = (0..<random.pick(14)).map { _ in
                (
                    isNovel: random.chance(40),
                    item: Item(
                        title: "t\(random.pick(3))", isbn: random.chance(85) ? "i\(random.pick(20))" : nil,
                        stock: seed % 2 == 0 ? 100 + random.pick(60) : random.pick(3))
                )
            }
            let updates = random.pick([["title", "stock"], ["title"], [], nil] as [[String]?]) ?? nil
            let comment = "seed \(seed), round \(round), \(updates ?? ["none"]) \(items)"
            stores.both(comment) { context -> [Int]? in
                let entities = [try context.compiled("Book"), try context.compiled("Novel")]
                let layouts = try entities.map { try WritePlan($0, Item.fields).layout }
                let rules = entities.map { entity in
                    let slots = updates?.compactMap { name -> Int? in
                        if case .attribute(let slot)? = entity.slot(named: name) { slot } else { nil }
                    }
                    return UpsertRule(constraint: ["isbn"], updates: slots)
                }
                let batch = RowBatch(of: layouts, in: entities[0].number) { take in
                    for (isNovel, item) in items {
                        try withUnsafePointer(to: item) { try take(isNovel ? 1 : 0, UnsafeRawPointer($0), 1) }
                    }
                }
                return try context.upsertRows(batch, by: rules).map { [$0.inserted, $0.updated, $0.ignored] }
            }
            try stores.expectSame(comment)
        }
    }

    @Test func `a trigger that skips a row is an error`() throws {
        let stores = try BatchStores { try $0.make("Book", ["title": "old", "isbn": "1"]) }
        let prefix = try stores.store.schema.prefix
        try PostgresStores.run(
            "CREATE FUNCTION \(prefix)skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.isbn = ''5'' THEN RETURN NULL; END IF; RETURN NEW; END'"
        )
        try PostgresStores.run(
            "CREATE TRIGGER skip BEFORE INSERT ON \(prefix)\"Book\" FOR EACH ROW EXECUTE FUNCTION \(prefix)skip()")
        for updates in [["title"], [], nil] as [[String]?] {
            let error = coreDataError {
                _ = try upsert([Item(title: "new", isbn: "1"), Item(isbn: "5")], stores.server, updating: updates)
            }
            #expect(error?.errorCode == NSPersistentStoreSaveError && error?.message.contains("skips") == true)
        }
        #expect(try stores.server.all("Book").map { $0.text("title") } == ["old"])
        #expect(try upsert([Item(title: "new", isbn: "1"), Item(isbn: "6")], stores.server) == [1, 1, 0])
    }

    @Test func `many values are written in parts`() throws {
        let stores = try BatchStores()
        let items = (0..<10_000).map { Item(title: "t\($0)", isbn: "i\($0 % 9000)", stock: $0) }
        #expect(stores.both { try upsert(items, $0) }.value == [9000, 1000, 0])
        let changed = (0..<9000).map { Item(title: "t\($0)", isbn: "i\($0)", stock: $0 % 2 == 0 ? $0 : -$0) }
        #expect(stores.both { try upsert(changed, $0) }.value == [0, 9000, 0])
        try stores.expectSame()
    }

    @Test func `derived attributes follow`() throws {
        func model() -> NSManagedObjectModel {
            let part = Build.entity(
                "Part",
                [
                    Build.attribute("name"), Build.attribute("code", optional: false),
                    Build.derived("plain", .stringAttributeType, "canonical:(name)"),
                    Build.derived("shout", .stringAttributeType, "uppercase:(code)"),
                ])
            part.uniquenessConstraints = [["code"]]
            return Build.model(part)
        }
        let stores = try BatchStores(model())
        let fields: [BatchField<Item>] = [
            .init("name", \.title) { .string($0) }, .init("code", \.isbn) { $0.map { .string($0) } ?? .null },
        ]
        for titles in [["Élan", "Zoë"], ["Ünder", "Zoë", "New"]] {
            stores.both { context in
                try context.upsert(
                    titles.enumerated().map { Item(title: $1, isbn: "c\($0)") }, as: "Part", fields, on: ["code"],
                    updating: ["name"])
            }
            try stores.expectSame()
        }
    }
}
#endif
