#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: work that a migration leaves", .enabled(if: PostgresServer.isEnabled))
struct MigrationWorkTests {
    private let server: PostgresOptions
    private static var first: NSManagedObjectModel { VersionedShop.version() }
    private static var indexed: NSManagedObjectModel {
        VersionedShop.version { shop in
            shop.index("year")
            shop.book.uniquenessConstraints = [["title"]]
        }
    }

    init() throws { server = try PostgresStores.migrationServer() }

    private func run(_ sql: String) throws -> [String?] {
        try PostgresStores.runMigrated(sql.replacing("@", with: "\(server.schema)."))
    }

    /// The indexes that are finished.
    private func indexes() throws -> Set<String> {
        Set(
            try run(
                "SELECT c.relname::text FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid WHERE x.indisvalid AND c.relnamespace = '\(server.schema)'::regnamespace"
            ).compactMap(\.self))
    }

    private func make(_ titles: String...) throws {
        let store = try PostgresStores.store(Self.first, at: server)
        let book = try #require(store.model.entity(named: "Book")).number
        for title in titles { try store.insert(book, ["title": .string(title), "year": .int(1900)]) }
        store.close()
    }

    @Test func `indexes are created while the store is used`() throws {
        try make("a", "b")
        let store = try PostgresStores.store(Self.indexed, at: server)
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        #expect(try indexes().isSuperset(of: ["Book_title_key", "Book_byYear"]))
        #expect(try PostgresStores.state(of: server).work == [])
        #expect(try store.migrationPlan() == [])
    }

    @Test func `an index that an interruption has left unfinished is built again`() throws {
        try make("a", "a")
        // The server leaves the index of a statement that fails.
        _ = try? run("CREATE UNIQUE INDEX CONCURRENTLY \"Book_title_key\" ON @\"Book\" (title NULLS FIRST)")
        #expect(
            try run("SELECT indisvalid::text FROM pg_index WHERE indexrelid = '@\"Book_title_key\"'::regclass") == [
                "false"
            ])
        _ = try run("DELETE FROM @\"Book\" WHERE _key = (SELECT max(_key) FROM @\"Book\")")
        let store = try PostgresStores.store(Self.indexed, at: server)
        try store.migrate()
        #expect(try indexes().isSuperset(of: ["Book_title_key", "Book_byYear"]))
    }

    @Test func `a work that was stopped is continued by the next opening`() throws {
        try make("a")
        // The index waits for the end of this transaction.
        let other = try PostgresStores.store(Self.first, at: server)
        let session = try other.beginSession()
        _ = try session.metadataValue(forKey: "x")
        let store = try PostgresStores.store(Self.indexed, at: server)
        #expect(!store.upkeep.wait(until: .now + .milliseconds(300)))
        store.close()
        session.end()
        #expect(try PostgresStores.state(of: server).work.count == 2)
        let later = try PostgresStores.store(Self.indexed, at: server)
        #expect(later.upkeep.wait(until: .now + .seconds(240)))
        #expect(try indexes().isSuperset(of: ["Book_title_key", "Book_byYear"]))
        #expect(try PostgresStores.state(of: server).work == [])
    }

    @Test func `two programs that do the work at once do not wait for each other's snapshots`() throws {
        try make("a")
        let other = try PostgresStores.store(Self.first, at: server)
        let session = try other.beginSession()
        _ = try session.metadataValue(forKey: "x")
        let store = try PostgresStores.store(Self.indexed, at: server)
        #expect(!store.upkeep.wait(until: .now + .milliseconds(300)))
        // This program waits while the index of the other one waits for the transaction.
        let second = Locked<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result { try PostgresStores.store(Self.indexed, at: server).migrate() }
            second.withLock { $0 = result }
        }
        Thread.sleep(forTimeInterval: 0.3)
        #expect(second.withLock { $0 == nil })
        session.end()
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        for _ in 0..<6_000 where second.withLock({ $0 == nil }) { Thread.sleep(forTimeInterval: 0.01) }
        try #require(second.withLock { $0 }).get()
        #expect(try indexes().isSuperset(of: ["Book_title_key", "Book_byYear"]))
    }

    @Test func `a program that waits for the work of another one keeps no transaction`() throws {
        try make("a")
        let holder = try PostgresConnection.open(server.address)
        let number = AdvisoryLock.work(onSchema: server.schema).number
        try holder.run(.command("SELECT pg_advisory_lock(\(number))"))
        let store = try PostgresStores.store(Self.indexed, at: server)
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        #expect(try indexes().isDisjoint(with: ["Book_title_key", "Book_byYear"]))

        let name = "waits for \(server.schema)"
        let waiting = try PostgresStores.migrationServer(schema: server.schema, applicationName: name)
        let end = Locked<Result<[ServerWorkRun.Failure], any Error>?>(nil)
        Thread.detachNewThread {
            let run = ServerWorkRun(options: waiting, watch: nil, token: InterruptToken())
            let result = Result { try run(isAsked: true) }
            end.withLock { $0 = result }
        }
        let attempts =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND query LIKE '%ROLLBACK%' AND xact_start IS NULL"
        var hasTried = false
        for _ in 0..<3_000 where !hasTried {
            hasTried = try run(attempts) != ["0"]
            Thread.sleep(forTimeInterval: 0.01)
        }
        #expect(hasTried)
        #expect(end.withLock { $0 == nil })
        try holder.run(.command("SELECT pg_advisory_unlock(\(number))"))
        for _ in 0..<6_000 where end.withLock({ $0 == nil }) { Thread.sleep(forTimeInterval: 0.01) }
        #expect(try #require(end.withLock { $0 }).get().isEmpty)
        #expect(try indexes().isSuperset(of: ["Book_title_key", "Book_byYear"]))
    }

    @Test func `an index that the server has stopped because of a deadlock is built again`() throws {
        // Long enough for the other transaction to begin its wait.
        let own = try PostgresServer(settings: ["deadlock_timeout": "5s"])
        defer { own.stop() }
        let options = try PostgresOptions(
            "host=\(own.folder.path) port=\(own.port) user=\(own.user) dbname=postgres schema=\(own.newSchema())")
        try PostgresStores.store(Self.first, at: options).close()
        // This version needs no change of the table, which the transaction would hold back.
        let new = VersionedShop.version { shop in
            shop.index("year")
            shop.book.versionHashModifier = "2"
        }
        var address = options.address
        (address.timeouts.statement, address.timeouts.lock) = (nil, nil)
        let connection = try PostgresConnection.open(address)
        let book = "\(options.schema).\"Book\""
        // The server stops the one that looks for a deadlock first.
        try connection.run(.command("SET deadlock_timeout = '60s'"))
        try connection.begin(TransactionOptions(.readCommitted))
        try connection.run(.command("INSERT INTO \(book) (title, year) VALUES ('b', 1)"))
        let store = try PostgresStores.store(new, at: options)
        let waits =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX CONC%'"
        for _ in 0..<1_000 where try store.number(waits) == 0 { Thread.sleep(forTimeInterval: 0.005) }
        try #require(store.number(waits) == 1)
        try connection.run(.command("LOCK TABLE \(book) IN SHARE UPDATE EXCLUSIVE MODE"))
        try connection.commit()
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        #expect(try store.migrationPlan() == [])
        let finished = "SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid = '@\"Book_byYear\"'::regclass"
        #expect(try store.number(finished.replacing("@", with: "\(options.schema).")) == 1)
        store.close()
    }

    @Test func `rows that are not unique are reported, and the other steps are done`() throws {
        try make("a", "a")
        let store = try PostgresStores.store(Self.indexed, at: server)
        let error = try #require(throws: CoreDataError.self) { try store.migrate() }
        #expect(error.errorCode == NSManagedObjectConstraintMergeError)
        #expect(error.message.contains("\"Book_title_key\" cannot be created, because rows have equal values"))
        #expect(try indexes().contains("Book_byYear"))
        let work = try PostgresStores.state(of: server).work
        #expect(work.count == 1 && work[0].failure != nil && work[0].failureTime != nil)
        // It is not tried again at every opening, only when it is asked for.
        let again = try PostgresStores.store(Self.indexed, at: server)
        #expect(again.upkeep.wait(until: .now + .seconds(240)))
        #expect(try PostgresStores.state(of: server).work == work)
        _ = try run("UPDATE @\"Book\" SET title = 'b' WHERE _key = (SELECT max(_key) FROM @\"Book\")")
        try again.migrate()
        #expect(try indexes().contains("Book_title_key"))
    }

    @Test func `failures in the background reach the listeners of the store`() throws {
        try make("a", "a")
        var never = server
        never.changes = .additive
        let store = try PostgresStores.store(Self.indexed, at: never)
        let warnings = Locked<[String]>([])
        let remove = store.addWarningListener { error in warnings.withLock { $0.append(error.message) } }
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        remove()
        let failures = try PostgresStores.state(of: server).work.compactMap(\.failure)
        #expect(failures.count == 1)
        // The listener may have come after the failure.
        #expect(warnings.withLock { $0 }.count <= 1)
    }

    @Test func `what older versions have left is removed when it is asked for`() throws {
        try make("a", "b")
        let new = VersionedShop.version { shop in
            shop.rename(shop.attribute("title"), to: "name")
            shop.attribute("name").defaultValue = "unnamed"
            shop.remove("price")
            shop.entities.removeAll { $0 === shop.tag }
            shop.remove("tags")
            shop.index("year")
        }
        let store = try PostgresStores.store(new, at: server)
        try store.migrate()
        let book = try #require(store.model.entity(named: "Book")).number
        #expect(try PostgresStores.state(of: server).older.count == 1)
        let contract = try ServerContract(server, options: StoreOptions())
        let plan = try contract.plan()
        #expect(try contract.run() == plan)
        #expect(try contract.run() == [])
        let columns = try run(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = '@\"Book\"'::regclass AND attnum > 0 AND NOT attisdropped"
        )
        #expect(!columns.contains("title") && !columns.contains("price") && columns.contains("name"))
        #expect(
            try run(
                "SELECT relname::text FROM pg_class WHERE relnamespace = '\(server.schema)'::regnamespace AND relname IN ('Tag', 'Book_tags')"
            ).isEmpty)
        #expect(
            try run(
                "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = '@\"Book\"'::regclass AND adnum = (SELECT attnum FROM pg_attribute WHERE attrelid = '@\"Book\"'::regclass AND attname = 'name')"
            )[0]?.contains("unnamed") == true)
        // The store that is open goes on, and so does one that is opened now.
        try store.insert(book, ["name": .string("c"), "year": .int(1)])
        #expect(try PostgresStores.store(new, at: server).values(book, "name").count == 3)
        let error = #expect(throws: CoreDataError.self) { _ = try PostgresStores.store(Self.first, at: server) }
        #expect(error?.message.contains("does not serve the older version") == true)
        // A later version may use the names again.
        let third = VersionedShop.version { shop in
            shop.rename(shop.attribute("title"), to: "name")
            shop.attribute("name").defaultValue = "unnamed"
            // The former name identifies the attribute that had it in the second version.
            shop.book.properties.append(
                Build.attribute("title", .integer64AttributeType) { $0.renamingIdentifier = "number" })
        }
        let later = try PostgresStores.store(third, at: server)
        #expect(later.schema.names.columns["Book.title"] == "title")
        #expect(try later.values(book, "title") == [.null, .null, .null])
    }

    @Test func `a store that was migrated is removed with its functions`() throws {
        try make("a")
        let new = VersionedShop.version { shop in
            shop.rename(shop.attribute("title"), to: "name")
            shop.entities.removeAll { $0 === shop.tag }
            shop.remove("tags")
        }
        try PostgresStores.store(new, at: server).close()
        try StoreOnServer(server, options: StoreOptions()).destroy(isForced: false)
        #expect(try run("SELECT 1::text FROM pg_namespace WHERE nspname = '\(server.schema)'").isEmpty)
    }
}
#endif
