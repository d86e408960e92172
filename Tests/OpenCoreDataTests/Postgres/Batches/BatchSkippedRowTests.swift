#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Batches on a server: rows that triggers and policies skip", .enabled(if: PostgresServer.isEnabled))
struct BatchSkippedRowTests {
    private struct Item: Sendable {
        var title = ""
        var isbn = ""

        static let fields: [BatchField<Item>] = [
            .init("title", \.title) { .string($0) }, .init("isbn", \.isbn) { .string($0) },
        ]
    }

    /// Creates a trigger that skips the rows that meet a condition.
    private func skip(_ event: String, of table: String, if condition: String, in stores: BatchStores) throws {
        let prefix = try stores.store.schema.prefix
        try PostgresStores.run(
            "CREATE FUNCTION \(prefix)skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF \(condition) THEN RETURN NULL; END IF; IF TG_OP = ''DELETE'' THEN RETURN OLD; END IF; RETURN NEW; END'"
        )
        try PostgresStores.run(
            "CREATE TRIGGER skip BEFORE \(event) ON \(prefix)\"\(table)\" FOR EACH ROW EXECUTE FUNCTION \(prefix)skip()"
        )
    }

    private func expectSkip<Output>(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Output
    ) {
        let error = coreDataError { _ = try body() }
        #expect(error?.errorCode == NSPersistentStoreSaveError, sourceLocation: sourceLocation)
        #expect(error?.message.contains("skips the change") == true, "\(error as Any)", sourceLocation: sourceLocation)
    }

    /// A model of one entity without relationships, whose rows are deleted by one statement.
    private static func plainModel() -> NSManagedObjectModel {
        Build.model(Build.entity("Thing", [Build.attribute("id", .integer64AttributeType), Build.attribute("name")]))
    }

    private func plain() throws -> BatchStores {
        try BatchStores(Self.plainModel()) { context in
            for id in 0..<3 { try context.make("Thing", ["id": id, "name": "x"]) }
        }
    }

    @Test func `a deletion at once`() throws {
        let stores = try plain()
        try skip("DELETE", of: "Thing", if: "OLD.id = 1", in: stores)
        expectSkip { try stores.server.deleteAll("Thing") }
        #expect(try stores.server.all("Thing").count == 3)
        // Rows that are not skipped.
        #expect(try stores.server.deleteAll("Thing", "id != 1") == 2)
    }

    @Test func `an update at once`() throws {
        let stores = try plain()
        try skip("UPDATE", of: "Thing", if: "OLD.id = 1", in: stores)
        expectSkip { try stores.server.update("Thing", nil, ["name": .string("y")]) }
        #expect(try stores.server.all("Thing", "name == 'y'").isEmpty)
        #expect(try stores.server.update("Thing", "id != 1", ["name": .string("y")]) == 2)
    }

    @Test func `a deletion that a policy does not allow for rows that it shows`() throws {
        let stores = try plain()
        let prefix = try stores.store.schema.prefix
        for sql in [
            "ALTER TABLE @\"Thing\" ENABLE ROW LEVEL SECURITY", "ALTER TABLE @\"Thing\" FORCE ROW LEVEL SECURITY",
            "CREATE POLICY shown ON @\"Thing\" FOR SELECT USING (true)",
            "CREATE POLICY deleted ON @\"Thing\" FOR DELETE USING (id <> 1)",
        ] { try PostgresStores.run(sql.replacing("@", with: prefix)) }
        let role = "skipped_\(prefix.filter { $0.isNumber })"
        try PostgresStores.run("CREATE ROLE \(role) LOGIN")
        for sql in [
            "GRANT USAGE ON SCHEMA \(prefix.dropLast()) TO \(role)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(prefix.dropLast()) TO \(role)",
        ] { try PostgresStores.run(sql) }
        var options = try stores.store.serverOptions
        options.address.user = role
        let context = GraphLibrary.context(try PostgresStores.coordinator(of: Self.plainModel(), at: options))
        expectSkip { try context.deleteAll("Thing") }
        #expect(try context.deleteAll("Thing", "id != 1") == 2)
    }

    @Test func `updates of an upsert`() throws {
        let stores = try BatchStores { context in
            for isbn in ["1", "2"] { try context.make("Book", ["title": "old", "isbn": isbn]) }
        }
        try skip("UPDATE", of: "Book", if: "OLD.isbn = ''1''", in: stores)
        func upsert(_ items: [Item], updating names: [String]? = ["title"]) throws -> [Int]? {
            try stores.server.upsert(items, as: "Book", Item.fields, on: ["isbn"], updating: names)
        }
        expectSkip { try upsert([Item(title: "new", isbn: "1"), Item(title: "new", isbn: "2")]) }
        expectSkip { try upsert([Item(title: "a", isbn: "2"), Item(title: "new", isbn: "1"), Item(isbn: "3")]) }
        #expect(try stores.server.all("Book").map { $0.text("title") } == ["old", "old"])
        // Values that change nothing, or must not, are no skipped changes.
        #expect(try upsert([Item(title: "old", isbn: "1"), Item(title: "new", isbn: "2")]) == [0, 2, 0])
        #expect(try upsert([Item(title: "x", isbn: "1")], updating: nil) == [0, 0, 1])
        #expect(try upsert([Item(title: "x", isbn: "1")], updating: []) == [0, 1, 0])
    }

    @Test func `repeated values of an upsert whose last one is skipped`() throws {
        let stores = try BatchStores()
        try skip("UPDATE", of: "Book", if: "TRUE", in: stores)
        expectSkip {
            try stores.server.upsert(
                [Item(title: "a", isbn: "1"), Item(title: "b", isbn: "1")], as: "Book", Item.fields, on: ["isbn"],
                updating: ["title"])
        }
        #expect(try stores.server.all("Book").isEmpty)
    }

    @Test func `insertions of a save that are many`() throws {
        let stores = try plain()
        try skip("INSERT", of: "Thing", if: "NEW.id = 1500", in: stores)
        for id in 100..<2100 { try stores.server.make("Thing", ["id": id]) }
        expectSkip { try stores.server.save() }
        stores.server.rollback()
        #expect(try stores.server.all("Thing").count == 3)
    }
}
#endif
