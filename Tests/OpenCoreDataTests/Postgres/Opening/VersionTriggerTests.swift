#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: triggers that raise versions", .enabled(if: PostgresServer.isEnabled))
struct VersionTriggerTests {
    private let model = LibraryModel.model

    private func options() throws -> PostgresOptions {
        var options = try PostgresStores.options()
        options.raisesForeignVersions = true
        return options
    }

    private func triggers(_ store: PostgresStore) throws -> Int {
        try PostgresStores.run(
            "SELECT count(*) FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid WHERE g.tgname = '_sworm_version' AND c.relnamespace = '\(store.serverOptions.schema)'::regnamespace"
        ).first?.flatMap { Int($0) } ?? 0
    }

    private func versions(_ store: PostgresStore) throws -> [String?] {
        try PostgresStores.run("SELECT \"_version\" FROM \(store.schema.prefix)\"Tag\" ORDER BY \"_key\"")
    }

    @Test func `there are none unless the options ask for them`() throws {
        let store = try PostgresStores.store(of: model)
        #expect(try triggers(store) == 0)
        #expect(!store.schema.raisesVersions)
    }

    @Test func `a change by another program is noticed as a conflict`() throws {
        let store = try PostgresStores.store(of: model, at: options())
        let roots = Set(model.entities.map(\.root)).count
        #expect(try triggers(store) == roots)
        let tag = try store.insert(LibraryModel.tag, ["name": .string("a")])
        let other = try store.insert(LibraryModel.tag, ["name": .string("b")])
        let table = "\(store.schema.prefix)\"Tag\""
        try PostgresStores.run("UPDATE \(table) SET name = 'c' WHERE \"_key\" = \(tag.key)")
        // A program that raises the version itself.
        try PostgresStores.run("UPDATE \(table) SET name = 'd', \"_version\" = 8 WHERE \"_key\" = \(other.key)")
        #expect(try versions(store) == ["2", "8"])
        var request = SaveRequest()
        request.update(tag, version: 1, in: model, ["name": .string("mine")])
        let error = #expect(throws: (any Error).self) { try store.save(request) }
        #expect(error is SaveConflicts, "\(error as Any)")
        request = SaveRequest()
        request.update(tag, version: 2, in: model, ["name": .string("mine")])
        try store.save(request)
        #expect(try versions(store) == ["3", "8"])
    }

    @Test func `own changes raise versions once, and positions and links none`() throws {
        let stores = try BatchStores { context in
            let author = try context.make("Author", ["name": "Leo"])
            let book = try context.make("Book", ["title": "t", "isbn": "1", "author": author])
            for mark in 0..<3 { try context.make("Review", ["mark": mark, "book": book]) }
            try context.make("Book", ["title": "u", "isbn": "2"])
        }
        // The triggers are created in a store that exists.
        var options = try stores.store.serverOptions
        options.raisesForeignVersions = true
        let server = GraphLibrary.context(try PostgresStores.coordinator(of: GraphLibrary.model(), at: options))
        let store = try #require(
            server.persistentStoreCoordinator?.persistentStores.first?.objectStore as? PostgresStore)
        #expect(try triggers(store) == 6)
        for context in [stores.file, server] {
            let books = try context.all("Book", sort: "isbn")
            // Another order, values that rows hand to each other, and a link.
            let reviews = try #require(books[0].value(forKey: "reviews") as? NSOrderedSet).array
            books[0].setValue(NSOrderedSet(array: Array(reviews.reversed())), forKey: "reviews")
            books[0].setValue("2", forKey: "isbn")
            books[1].setValue("1", forKey: "isbn")
            books[1].setValue(Set([try context.make("Tag", ["name": "x"])]), forKey: "tags")
            try context.save()
            _ = try context.update("Book", "year == nil", ["stock": .int(3)])
            try context.deleteAll("Author")
        }
        let (expected, found) = (try stores.content(stores.file), try stores.content(server))
        #expect(expected == found)
    }

    @Test func `programs without the option use the triggers that are there`() throws {
        let server = try options()
        try PostgresStores.store(of: model, at: server).close()
        var plain = server
        plain.raisesForeignVersions = false
        let store = try PostgresStores.store(of: model, at: plain)
        #expect(store.schema.raisesVersions)
        #expect(try triggers(store) > 0)
        // The store is removed with its function.
        try StoreOnServer(plain, options: StoreOptions()).destroy(isForced: false)
        #expect(try PostgresStores.run("SELECT 1 FROM pg_namespace WHERE nspname = '\(plain.schema)'").isEmpty)
    }

    @Test func `options that allow no changes create none`() throws {
        var server = try PostgresStores.options()
        try PostgresStores.store(of: model, at: server).close()
        server.raisesForeignVersions = true
        server.changes = .never
        let store = try PostgresStores.store(of: model, at: server)
        #expect(try triggers(store) == 0)
        #expect(!store.schema.raisesVersions)
    }
}
#endif
