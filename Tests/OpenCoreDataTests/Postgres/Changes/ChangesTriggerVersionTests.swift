#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Triggers of the history in a store that programs with two versions of a model use.
@Suite("Changes on a server: triggers of two versions of a model", .enabled(if: PostgresServer.isEnabled))
struct ChangesTriggerVersionTests {
    private static var first: NSManagedObjectModel {
        VersionedShop.version { $0.attribute("title").preservesValueInHistoryOnDeletion = true }
    }
    /// A version with another name of the title, and without tags.
    private static var second: NSManagedObjectModel {
        VersionedShop.version { shop in
            shop.attribute("title").preservesValueInHistoryOnDeletion = true
            shop.rename(shop.attribute("title"), to: "name")
            shop.entities.removeAll { $0 === shop.tag }
            shop.remove("tags")
        }
    }

    private let server: HistoryServer
    private let options: PostgresOptions

    init() throws {
        server = try HistoryServer()
        options = try server.options()
    }

    /// Opens the store with a version, which continues the history that there is.
    private func open(_ model: NSManagedObjectModel) throws -> PostgresStore {
        try PostgresStores.store(model, at: options)
    }

    /// Creates the store with the first version, and starts its history with the second one.
    private func start() throws -> PostgresStore {
        try open(Self.first).close()
        var options = options
        options.recordsOtherPrograms = true
        let store = try PostgresStores.store(Self.second, at: options)
        #expect(store.history.level == .everybody)
        return store
    }

    /// Returns the bodies of the functions that the triggers call, by their names.
    private func functions(_ store: PostgresStore) throws -> [String: String] {
        let connection = try store.pass()
        let result = try connection.run(
            "SELECT proname::text, prosrc FROM pg_proc WHERE pronamespace = '\(options.schema)'::regnamespace AND starts_with(proname::text, '_sworm_history_')"
        )
        var functions: [String: String] = [:]
        for row in 0..<result.rowCount {
            let name = try result.string(row, column: 0) ?? ""
            functions[name] = try result.string(row, column: 1)
        }
        return functions
    }

    /// Returns the numbers of the transactions that have written the functions and the row of the history.
    private func marks(_ store: PostgresStore) throws -> [String?] {
        let connection = try store.pass()
        let result = try connection.run(
            "SELECT proname::text || ' ' || xmin::text FROM pg_proc WHERE pronamespace = '\(options.schema)'::regnamespace UNION ALL SELECT xmin::text FROM \(store.history.sql.history) ORDER BY 1"
        )
        return try (0..<result.rowCount).map { try result.string($0, column: 0) }
    }

    /// Returns the list of the versions whose triggers were made.
    private func versions(_ store: PostgresStore) throws -> [String] {
        let connection = try store.pass()
        return try #require(try HistorySetup(sql: store.history.sql).found(connection)).triggers
    }

    /// Expects that the history has the name of a book that another program deletes.
    private func expectTombstone(_ store: PostgresStore) throws {
        let book = try #require(store.model.entity(named: "Book"))
        guard case .attribute(let slot)? = book.slot(named: "name") else {
            Issue.record("there is no attribute")
            return
        }
        try store.insert(book.number, ["name": .string("Iliad"), "year": .int(1)])
        let last = try store.waitForHistory(after: 0).last?.number ?? 0
        try store.pass("DELETE FROM @\"Book\"")
        let changes = try store.waitForHistory(after: last).flatMap(\.changes)
        #expect(changes.map(\.type) == [.delete])
        #expect(changes.map(\.tombstone) == [[slot: .text("Iliad")]])
    }

    @Test func `an older version adds the triggers of its own tables, and leaves those of the newest one`() throws {
        let new = try start()
        let before = try functions(new)
        #expect(Set(before.keys) == ["_sworm_history_Author", "_sworm_history_Book"])
        let old = try open(Self.first)
        #expect(old.history.level == .everybody)
        let after = try functions(new)
        for (name, body) in before { #expect(after[name] == body, "\(name)") }
        let added = Set(after.keys).subtracting(before.keys)
        // The tables of the tags, and of the links to them.
        #expect(added.count == 2 && added.contains("_sworm_history_Tag"), "\(added)")
        let hashes = [HistoryTriggers(of: old).hash, HistoryTriggers(of: new).hash]
        #expect(hashes[0] != hashes[1])
        #expect(try versions(new) == hashes)

        let marks = try marks(new)
        for model in [Self.second, Self.first, Self.second] { try open(model).close() }
        #expect(try self.marks(new) == marks)
        try expectTombstone(new)
        // The rows of the older version's own tables are in the history, too.
        let last = try old.waitForHistory(after: 0).last?.number ?? 0
        try old.pass("INSERT INTO @\"Tag\" (\"label\") VALUES ('x')")
        let changes = try old.waitForHistory(after: last).flatMap(\.changes)
        #expect(changes.map { old.model[$0.row.entity].name } == ["Tag"])
    }

    @Test func `the newest version puts its functions back if another one was the last to make them`() throws {
        let new = try start()
        let old = try open(Self.first)
        let made = try functions(new)
        let (older, newer) = (HistoryTriggers(of: old).hash, HistoryTriggers(of: new).hash)
        try new.pass(
            "UPDATE @\"_sworm_history\" SET \"triggers\" = ARRAY['\(newer)', '\(older)']",
            "CREATE OR REPLACE FUNCTION @\"_sworm_history_Book\"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$"
        )
        #expect(try functions(new) != made)
        // The older version leaves the functions as they are.
        try open(Self.first).close()
        #expect(try versions(new) == [newer, older])
        #expect(try functions(new) != made)
        try open(Self.second).close()
        #expect(try functions(new) == made)
        #expect(try versions(new) == [older, newer])
        try expectTombstone(new)
    }
}
#endif
