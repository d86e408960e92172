#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: indexes that change without a new version", .enabled(if: PostgresServer.isEnabled))
struct MigrationIndexTests {
    private let server: PostgresOptions
    private static var first: NSManagedObjectModel { VersionedShop.version() }
    private static var byYear: NSManagedObjectModel { VersionedShop.version { $0.index("year") } }
    private static var byNote: NSManagedObjectModel { VersionedShop.version { $0.index("note") } }

    init() throws { server = try PostgresStores.migrationServer() }

    private func run(_ sql: String) throws -> [String?] {
        try PostgresStores.runMigrated(sql.replacing("@", with: "\(server.schema)."))
    }

    /// The indexes of books that are finished, except those of every version.
    private func indexes() throws -> Set<String> {
        Set(
            try run(
                "SELECT c.relname::text FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid WHERE x.indisvalid AND x.indrelid = '@\"Book\"'::regclass AND c.relname NOT IN ('Book_pkey', 'Book_author')"
            ).compactMap(\.self))
    }

    /// Opens a store, waits for its work, and closes it.
    private func open(_ model: NSManagedObjectModel, _ server: PostgresOptions? = nil) throws {
        let store = try PostgresStores.store(model, at: server ?? self.server)
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        #expect(try store.migrationPlan() == [])
        store.close()
    }

    private func contract() throws -> [String] {
        try PostgresMigrations.contract(server, options: StoreOptions())
    }

    /// A model with an index of other properties under the same name.
    private var other: NSManagedObjectModel {
        VersionedShop.version { shop in
            shop.book.indexes = ["Year"].map { name in
                NSFetchIndexDescription(
                    name: "by\(name)",
                    elements: ["year", "note"].map {
                        NSFetchIndexElementDescription(property: shop.attribute($0), collationType: .binary)
                    })
            }
        }
    }

    @Test func `a new index is created while the store is used`() throws {
        try open(Self.first)
        #expect(try Self.first.compiled().versionHashes == Self.byYear.compiled().versionHashes)
        #expect(try indexes() == [])
        try open(Self.byYear)
        #expect(try indexes() == ["Book_byYear"])
        #expect(try contract() == [])
        #expect(try indexes() == ["Book_byYear"])
    }

    @Test func `a program without the new index changes nothing`() throws {
        try open(Self.first)
        try open(Self.byYear)
        let before = try PostgresStores.state(of: server)
        let statements = Locked<[String]>([])
        for model in [Self.first, Self.byYear] {
            var options = try PostgresStores.migrationOptions(model)
            options.watch = StatementWatch { run in statements.withLock { $0.append(run.sql) } }
            try PostgresStores.store(of: model.compiled(), at: server, options).close()
        }
        let words = Set(statements.withLock { $0 }.map { $0.prefix { $0.isLetter } })
        #expect(words.isSubset(of: ["SET", "BEGIN", "WITH", "SELECT", "COMMIT"]), "\(words)")
        #expect(try PostgresStores.state(of: server) == before)
        #expect(try contract() == [])
    }

    @Test func `an index that the newest program does not have stays until it is removed on request`() throws {
        try open(Self.byYear)
        try open(Self.byNote)
        #expect(try indexes() == ["Book_byYear", "Book_byNote"])
        // The older program goes on, and does not keep the index from being removed.
        try open(Self.byYear)
        #expect(try contract() == ["DROP INDEX IF EXISTS \"\(server.schema)\".\"Book_byYear\""])
        #expect(try indexes() == ["Book_byNote"])
        try open(Self.byNote)
        #expect(try indexes() == ["Book_byNote"])
        // A later program has it again.
        try open(Self.byYear)
        #expect(try indexes() == ["Book_byYear", "Book_byNote"])
    }

    @Test func `an index of the same name with other columns takes the place of the old one`() throws {
        try open(Self.byYear)
        try open(other)
        let definition = "SELECT pg_get_indexdef('@\"Book_byYear\"'::regclass)"
        #expect(try run(definition)[0]?.contains("(year NULLS FIRST, note NULLS FIRST, _key)") == true)
        #expect(try indexes() == ["Book_byYear", "Book_byYear_old"])
        #expect(try contract().count == 1)
        #expect(try indexes() == ["Book_byYear"])
        #expect(try run(definition)[0]?.contains("note") == true)
    }

    @Test func `an index that was dropped is created again`() throws {
        try open(Self.byYear)
        _ = try run("DROP INDEX @\"Book_byYear\"")
        try open(Self.byYear)
        #expect(try indexes() == ["Book_byYear"])
    }

    @Test func `a store whose indexes are not known gets them`() throws {
        try open(Self.first)
        _ = try run("UPDATE @_sworm SET migration = '{}'")
        try open(Self.byYear)
        #expect(try indexes() == ["Book_byYear"])
    }

    @Test func `options that allow no changes leave the index to the operator`() throws {
        try open(Self.first)
        var never = server
        never.changes = .never
        try open(Self.byYear, never)
        var options = try PostgresStores.migrationOptions(Self.byYear)
        options.isReadOnly = true
        try PostgresStores.store(of: Self.byYear.compiled(), at: server, options).close()
        #expect(try indexes() == [])
        options.isReadOnly = false
        let plan = try PostgresMigrations.plan(server, model: Self.byYear.compiled(), options: options)
        #expect(plan.count == 1 && plan[0].hasPrefix("CREATE INDEX CONCURRENTLY \"Book_byYear\""), "\(plan)")
        #expect(try indexes() == [])
        try PostgresMigrations.run(server, model: Self.byYear.compiled(), options: options)
        #expect(try indexes() == ["Book_byYear"])
    }

    @Test func `a store can be used while another program keeps it from noting new indexes`() throws {
        try open(Self.first)
        let holder = try PostgresConnection.open(server.address)
        let lock = AdvisoryLock.tables(ofSchema: server.schema)
        #expect(try lock.begin(on: holder, TransactionOptions(.readCommitted), thenLockingWithin: nil))
        let store = try PostgresStores.store(Self.byYear, at: server)
        let warnings = Locked<[String]>([])
        // The listener gets what was reported before.
        _ = store.addWarningListener { error in warnings.withLock { $0.append(error.message) } }
        #expect(warnings.withLock { $0 }.count == 1)
        #expect(warnings.withLock { $0 }.first?.contains("can be used without them") == true)
        let book = try #require(store.model.entity(named: "Book")).number
        try store.insert(book, ["title": .string("a"), "year": .int(1)])
        store.close()
        holder.rollback()
        try open(Self.byYear)
        #expect(try indexes() == ["Book_byYear"])
    }

    @Test func `a later version keeps the index, or leaves it`() throws {
        try open(Self.byYear)
        try open(Self.byNote)
        let next = VersionedShop.version { shop in
            shop.index("year")
            shop.book.properties.append(Build.attribute("pages", .integer32AttributeType))
        }
        try open(next)
        #expect(try indexes() == ["Book_byYear", "Book_byNote"])
        #expect(try contract() == ["DROP INDEX IF EXISTS \"\(server.schema)\".\"Book_byNote\""])
        #expect(try indexes() == ["Book_byYear"])
    }

    @Test func `of ten programs that start at once with a new index, one creates it`() async throws {
        try open(Self.first)
        let server = server
        let creations = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                with: Result {
                                    var options = try PostgresStores.migrationOptions(Self.byYear)
                                    options.watch = StatementWatch { run in
                                        if run.sql.hasPrefix("CREATE INDEX CONC") { creations.withLock { $0 += 1 } }
                                    }
                                    let store = try PostgresStores.store(
                                        of: Self.byYear.compiled(), at: server, options)
                                    try store.migrate()
                                    store.close()
                                })
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(creations.withLock { $0 } == 1)
        #expect(try indexes() == ["Book_byYear"])
    }
}
#endif
