#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: migration when a store is opened", .enabled(if: PostgresServer.isEnabled))
struct MigrationOnServerTests {
    private let server: PostgresOptions
    private var schema: String { server.schema }
    private static var first: NSManagedObjectModel { VersionedShop.version() }
    /// Renames, additions, a requirement and removals.
    private static var second: NSManagedObjectModel {
        VersionedShop.version { shop in
            shop.rename(shop.attribute("title"), to: "name")
            shop.rename(shop.relationship("author"), to: "writer")
            shop.attribute("note").isOptional = false
            shop.attribute("note").defaultValue = "none"
            shop.book.properties.append(
                Build.attribute("inStock", .booleanAttributeType, optional: false) { $0.defaultValue = true })
            shop.book.uniquenessConstraints = [["name"]]
            shop.index("year")
            shop.remove("price")
        }
    }

    init() throws { server = try PostgresStores.migrationServer() }

    private func entity(_ name: String, of store: any ObjectStore) throws -> Int {
        try #require(store.model.entity(named: name)).number
    }

    /// Opens the first version with some books.
    @discardableResult
    private func makeFirst(_ books: Int = 3) throws -> PostgresStore {
        let store = try PostgresStores.store(Self.first, at: server)
        let author = try store.insert(entity("Author", of: store), ["name": .string("Ann")])
        for index in 0..<books {
            try store.insert(
                entity("Book", of: store),
                ["title": .string("Book \(index)"), "year": .int(Int64(1900 + index)), "price": .int(Int64(index))],
                ["author": author])
        }
        return store
    }

    private func run(_ sql: String) throws -> [String?] {
        try PostgresStores.runMigrated(sql.replacing("@", with: "\(schema)."))
    }

    // MARK: Two versions

    @Test func `both versions read and write the same store`() throws {
        let old = try makeFirst()
        let new = try PostgresStores.store(Self.second, at: server)
        try new.migrate()
        let (oldBook, newBook) = (try entity("Book", of: old), try entity("Book", of: new))
        #expect(try new.values(newBook, "name") == (0..<3).map { .string("Book \($0)") })
        #expect(try new.values(newBook, "note") == Array(repeating: .string("none"), count: 3))
        #expect(try new.values(newBook, "inStock") == Array(repeating: .bool(true), count: 3))
        let row = try old.insert(oldBook, ["title": .string("from old"), "year": .int(1)])
        let other = try new.insert(
            newBook, ["name": .string("from new"), "year": .int(2), "note": .string("n"), "inStock": .bool(true)])
        let names = ["Book 0", "Book 1", "Book 2", "from old", "from new"].map { AttributeValue.string($0) }
        #expect(try Set(old.values(oldBook, "title").map(\.uniqueKey)) == Set(names.map(\.uniqueKey)))
        #expect(try Set(new.values(newBook, "name").map(\.uniqueKey)) == Set(names.map(\.uniqueKey)))
        #expect(row.key != other.key)
        // A program with the old version that starts now finds its tables too.
        let late = try PostgresStores.store(Self.first, at: server)
        #expect(try late.values(oldBook, "title").count == 5)
        #expect(late.schema.names == old.schema.names)
        let again = try PostgresStores.store(Self.second, at: server)
        #expect(again.schema.names == new.schema.names)
        // A value that older versions leave empty, and the new one requires.
        #expect(try new.values(newBook, "note").allSatisfy { $0 != .null })
    }

    @Test func `links of a renamed relationship are those of both versions`() throws {
        let old = try makeFirst()
        let new = try PostgresStores.store(Self.second, at: server)
        let (author, book) = (try entity("Author", of: new), try entity("Book", of: new))
        let ann = RowID(
            entity: author, key: try #require(run("SELECT _key::text FROM @\"Author\"")[0].flatMap { Int64($0) }))
        #expect(try new.members(ann, "books").count == 3)
        try new.insert(
            book, ["name": .string("x"), "year": .int(1), "note": .string("n"), "inStock": .bool(true)],
            ["writer": ann])
        try old.insert(entity("Book", of: old), ["title": .string("y"), "year": .int(2)], ["author": ann])
        #expect(try new.members(ann, "books").count == 5)
        #expect(try old.members(RowID(entity: try entity("Author", of: old), key: ann.key), "books").count == 5)
        #expect(try run("SELECT count(*)::text FROM @\"Book\" WHERE author IS DISTINCT FROM writer") == ["0"])
    }

    @Test func `of ten openings of a newer version at once, one changes the tables`() async throws {
        try makeFirst(50)
        let (server, statements) = (server, Locked<[String]>([]))
        let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                with: Result {
                                    var options = try PostgresStores.migrationOptions(Self.second)
                                    options.watch = StatementWatch { run in statements.withLock { $0.append(run.sql) } }
                                    let store = try PostgresStores.store(
                                        of: Self.second.compiled(), at: server, options)
                                    let book = try #require(store.model.entity(named: "Book")).number
                                    #expect(try store.values(book, "name").count == 50)
                                    return store.identifier
                                })
                        }
                    }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(identifiers.count == 1)
        let additions = statements.withLock { $0 }.filter { $0.contains("ADD COLUMN \"name\"") }
        #expect(additions.count == 1)
        #expect(try PostgresStores.state(of: server).older.count == 1)
        _ = try PostgresStores.store(Self.second, at: server)
    }

    @Test func `opening a migrated store again sends no change`() throws {
        try makeFirst()
        try PostgresStores.store(Self.second, at: server).migrate()
        let statements = Locked<[String]>([])
        for model in [Self.first, Self.second] {
            var options = try PostgresStores.migrationOptions(model)
            options.watch = StatementWatch { run in statements.withLock { $0.append(run.sql) } }
            _ = try PostgresStores.store(of: model.compiled(), at: server, options)
        }
        let words = Set(statements.withLock { $0 }.map { $0.prefix { $0.isLetter } })
        #expect(words.isSubset(of: ["SET", "BEGIN", "WITH", "SELECT", "COMMIT"]), "\(words)")
    }

    // MARK: Steps

    @Test func `columns are filled by parts, which another program continues`() throws {
        try makeFirst(1)
        try _ = run("INSERT INTO @\"Book\" (title, year) SELECT 'T' || n, n FROM generate_series(1, 12000) n")
        struct Stop: Error {}
        let parts = Locked(0)
        var options = try PostgresStores.migrationOptions(Self.second)
        options.watch = StatementWatch { run in
            if run.sql.hasPrefix("WITH k AS") { parts.withLock { $0 += 1 } }
        }
        // The first program ends after its first part.
        let opening = try ServerOpening(model: Self.second.compiled(), options: options, serverOptions: server)
        try opening.withConnection { connection throws in
            let migration = ServerMigration(opening: opening)
            #expect(try migration.step(on: connection, within: .seconds(10)) == nil)
            #expect(try migration.step(on: connection, within: .seconds(10)) == nil)
        }
        #expect(parts.withLock { $0 } == 1)
        let prepared = try #require(try PostgresStores.state(of: server).prepared)
        #expect((prepared.fills.first?.progress ?? 0) > 0)
        // Programs with the old version go on, and their rows are not forgotten.
        let old = try PostgresStores.store(Self.first, at: server)
        try old.insert(entity("Book", of: old), ["title": .string("between"), "year": .int(3)])
        let new = try PostgresStores.store(Self.second, at: server)
        #expect(try PostgresStores.state(of: server).prepared == nil)
        #expect(try new.values(entity("Book", of: new), "name").count == 12_002)
        #expect(
            try run("SELECT count(*)::text FROM @\"Book\" WHERE name IS DISTINCT FROM title OR note IS NULL") == ["0"])
    }

    @Test func `a change that waits for a lock gives it up and is repeated after pauses`() throws {
        let old = try makeFirst()
        let session = try old.beginSession()
        _ = try session.count(FetchSpecification(entity: entity("Book", of: old)))
        let ended = Handed(session)
        let clock = PausedClock { number in if number == 2 { ended.value.end() } }
        var server = server
        server.clock = clock
        let new = try PostgresStores.store(Self.second, at: server)
        #expect(clock.durations.count >= 2 && clock.durations.allSatisfy { $0 <= .seconds(5) })
        #expect(try new.values(entity("Book", of: new), "name").count == 3)
    }

    @Test func `a lock that stays is an error, and nothing has changed`() throws {
        let old = try makeFirst()
        let before = try PostgresStores.state(of: server)
        let session = try old.beginSession()
        defer { session.end() }
        _ = try session.count(FetchSpecification(entity: entity("Book", of: old)))
        var server = server
        server.clock = PausedClock { _ in }
        let error = try #require(throws: CoreDataError.self) {
            _ = try PostgresStores.store(Self.second, at: server, timeout: 1)
        }
        #expect(error.condition == .timedOut && error.message.contains("cannot be migrated now"))
        #expect(try PostgresStores.state(of: server) == before)
        #expect(
            try run(
                "SELECT 1::text FROM pg_proc WHERE proname LIKE '_sworm_sync%' AND pronamespace = '\(schema)'::regnamespace"
            ).isEmpty)
    }

    // MARK: Options

    @Test func `without permission, the error lists the SQL`() throws {
        try makeFirst()
        var server = server
        server.changes = .never
        let error = try #require(throws: CoreDataError.self) { _ = try PostgresStores.store(Self.second, at: server) }
        #expect(error.errorCode == NSPersistentStoreIncompatibleVersionHashError && error.condition == .schemaDiffers)
        #expect(error.message.contains("\nALTER TABLE \"\(schema)\".\"Book\" ADD COLUMN"))
        #expect(error.message.contains("CREATE UNIQUE INDEX CONCURRENTLY \"Book_name_key\""))
        #expect(error.details.map(\.entity) == ["Author", "Book"])
        let opening = try ServerOpening(
            model: Self.second.compiled(), options: PostgresStores.migrationOptions(Self.second), serverOptions: server)
        let plan = try opening.migrationPlan()
        #expect(plan.allSatisfy { error.message.contains("\n\($0);") } && plan.count > 5)
        // What was migrated by another program can be used, and its work is left to the operator.
        _ = try PostgresStores.store(Self.first, at: server)
        server.changes = .additive
        _ = try PostgresStores.store(Self.second, at: server)
        server.changes = .never
        let store = try PostgresStores.store(Self.second, at: server)
        try store.migrate()
        #expect(try store.migrationPlan() == [])
    }

    @Test func `changes that older versions would notice need permission`() throws {
        let old = try makeFirst()
        let wider = VersionedShop.version { shop in
            shop.attribute("year").attributeType = .integer64AttributeType
            shop.rename(shop.attribute("title"), to: "name")
        }
        let error = try #require(throws: CoreDataError.self) { _ = try PostgresStores.store(wider, at: server) }
        #expect(error.errorCode == NSMigrationError && error.message.contains("from integer to bigint"))
        #expect(error.details.map(\.key) == ["year"])
        var all = server
        all.changes = .all
        let new = try PostgresStores.store(wider, at: all)
        let book = try entity("Book", of: new)
        #expect(try new.values(book, "name") == (0..<3).map { .string("Book \($0)") })
        #expect(try new.values(book, "year") == (0..<3).map { .int(1900 + $0) })
        old.close()
        let retired = try #require(throws: CoreDataError.self) { _ = try PostgresStores.store(Self.first, at: server) }
        #expect(retired.message.contains("does not serve the older version"))
    }

    @Test func `a read-only opening migrates nothing`() throws {
        try makeFirst()
        let before = try PostgresStores.state(of: server)
        var options = try PostgresStores.migrationOptions(Self.second)
        options.isReadOnly = true
        let error = try #require(throws: CoreDataError.self) {
            _ = try PostgresStores.store(of: Self.second.compiled(), at: server, options)
        }
        #expect(error.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try PostgresStores.state(of: server) == before)
    }

    @Test func `a coordinator migrates a store`() throws {
        try makeFirst()
        let coordinator = try PostgresStores.coordinator(of: Self.second, at: server)
        let context = GraphLibrary.context(coordinator)
        let names = try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).compactMap {
                $0.value(forKey: "name") as? String
            }
        }
        #expect(names.sorted() == ["Book 0", "Book 1", "Book 2"])
        let store = try #require(coordinator.persistentStores.first)
        #expect(
            store.metadata[NSStoreModelVersionHashesKey] as? [String: Data] == Self.second.entityVersionHashesByName)
        #expect(store.metadata[NSStoreTypeKey] as? String == SwormPostgreSQLStoreType)
    }

    @Test func `a program that was opened before the migration does not write its version back`() throws {
        let old = try makeFirst()
        _ = try PostgresStores.store(Self.second, at: server)
        try old.setMetadata(["color": "red"])
        try old.save(SaveRequest())
        let after = try PostgresStores.store(Self.second, at: server)
        #expect(after.metadata["color"] as? String == "red")
        #expect(
            after.metadata[NSStoreModelVersionHashesKey] as? [String: Data] == Self.second.entityVersionHashesByName)
        #expect(!old.hasNewMetadata)
    }
}
#endif
