#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Programs with an older version write while a newer one changes rows.
@Suite("PostgreSQL: migration beside programs that write alone", .enabled(if: PostgresServer.isEnabled))
struct MigrationBesideWritesTests {
    private let server: PostgresOptions

    init() throws { server = try PostgresStores.migrationServer() }

    private func run(_ sql: String) throws -> [String?] {
        try PostgresStores.runMigrated(sql.replacing("@", with: "\(server.schema)."))
    }

    /// Reads a book in a transaction that writes alone, changes it after a closure has begun elsewhere, and commits.
    ///
    /// - Parameter body: Changes rows of the book's table. It may wait for the transaction.
    private func changeTitle(in store: PostgresStore, beside body: @escaping @Sendable () throws -> Void) throws {
        let book = try #require(store.model.entity(named: "Book")).number
        let shape = RowShape(model: store.model, entity: book)
        let transaction = try store.beginTransaction()
        defer { transaction.end() }
        let rows = try transaction.rows(FetchSpecification(entity: book), shape: shape)
        try #require(rows.count == 1)
        let other = Locked<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result { try body() }
            other.withLock { $0 = result }
        }
        for _ in 0..<60 where other.withLock({ $0 == nil }) { Thread.sleep(forTimeInterval: 0.01) }
        var request = SaveRequest()
        request.update(
            RowID(entity: book, key: rows.int64(row: 0, cell: RowShape.primaryKeyCell)),
            version: rows.int64(row: 0, cell: RowShape.versionCell), in: store.model, ["title": .string("changed")])
        _ = try transaction.save(request)
        try transaction.commit()
        transaction.end()
        for _ in 0..<2_000 where other.withLock({ $0 == nil }) { Thread.sleep(forTimeInterval: 0.01) }
        try #require(other.withLock { $0 }).get()
    }

    /// Runs the first transaction of a migration, or all of them, without the work that they leave.
    private func migrate(to model: NSManagedObjectModel, isFirst: Bool) throws {
        let opening = try ServerOpening(
            model: model.compiled(), options: PostgresStores.migrationOptions(model), serverOptions: server)
        try opening.withConnection { connection throws in
            let migration = ServerMigration(opening: opening)
            if isFirst {
                #expect(try migration.step(on: connection, within: .seconds(10)) == nil)
            } else {
                _ = try migration.run(on: connection)
            }
        }
    }

    @Test func `a write meets no conflict with a migration that fills a column`() throws {
        let store = try PostgresStores.store(VersionedShop.version(), at: server)
        let book = try #require(store.model.entity(named: "Book")).number
        try store.insert(book, ["title": .string("first"), "year": .int(1)])
        func renamed() -> NSManagedObjectModel {
            VersionedShop.version { shop in shop.rename(shop.attribute("title"), to: "name") }
        }
        try migrate(to: renamed(), isFirst: true)
        let (server, model) = (server, Handed(renamed()))
        try changeTitle(in: store) { try PostgresStores.store(model.value, at: server).close() }
        #expect(try run("SELECT title || ' ' || name FROM @\"Book\"") == ["changed changed"])
    }

    @Test func `a write meets no conflict with work that removes links to nothing`() throws {
        func version(_ rule: NSDeleteRule) -> NSManagedObjectModel {
            VersionedShop.version { shop in
                shop.relationship("books", of: shop.author).deleteRule = rule
                // A delete rule alone does not make another version.
                if rule == .nullifyDeleteRule { shop.book.properties.append(Build.attribute("extra")) }
            }
        }
        let store = try PostgresStores.store(version(.noActionDeleteRule), at: server)
        let (author, book) = (
            try #require(store.model.entity(named: "Author")).number,
            try #require(store.model.entity(named: "Book")).number
        )
        let ann = try store.insert(author, ["name": .string("Ann")])
        try store.insert(book, ["title": .string("first"), "year": .int(1)], ["author": ann])
        _ = try run("DELETE FROM @\"Author\" RETURNING ''")
        try migrate(to: version(.nullifyDeleteRule), isFirst: false)
        #expect(try !PostgresStores.state(of: server).work.isEmpty)
        var operated = server
        operated.changes = .never
        let (server, model) = (operated, Handed(version(.nullifyDeleteRule)))
        try changeTitle(in: store) {
            let new = try PostgresStores.store(model.value, at: server)
            defer { new.close() }
            try new.migrate()
        }
        #expect(try PostgresStores.state(of: server).work.isEmpty)
        #expect(try run("SELECT title || COALESCE(author::text, '') FROM @\"Book\"") == ["changed"])
    }
}
#endif
