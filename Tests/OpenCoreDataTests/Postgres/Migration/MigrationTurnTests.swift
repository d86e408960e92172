#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: turns of programs that change the tables", .enabled(if: PostgresServer.isEnabled))
struct MigrationTurnTests {
    private func options(_ server: PostgresServer, schema: String) throws -> PostgresOptions {
        try PostgresOptions(
            "host=\(server.folder.path) port=\(server.port) user=\(server.user) dbname=postgres schema=\(schema)")
    }

    /// Expects that an opening that waits for its turn does not hold back an index that is created without a lock.
    private func expectNoSnapshot(
        waitingFor schema: String, on server: PostgresServer, _ opening: @escaping @Sendable () throws -> Void
    ) throws {
        var address = try options(server, schema: "public").address
        let holder = try PostgresConnection.open(address)
        let lock = AdvisoryLock.tables(ofSchema: schema)
        #expect(try lock.begin(on: holder, TransactionOptions(.readCommitted), thenLockingWithin: nil))
        let done = Locked<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let result = Result { try opening() }
            done.withLock { $0 = result }
        }
        address.timeouts.statement = .seconds(5)
        let other = try PostgresConnection.open(address)
        // All other connections of this server are those of the test. One that waits has given up an attempt.
        let waiting =
            "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'idle' AND query = 'ROLLBACK'"
        for _ in 0..<1_000 where try other.run(.command(waiting)).int(0, column: 0) == 0 {
            Thread.sleep(forTimeInterval: 0.005)
        }
        Thread.sleep(forTimeInterval: 0.1)
        try other.run(.command("CREATE TABLE IF NOT EXISTS public.indexed (n integer)"))
        try other.run(.command("CREATE INDEX CONCURRENTLY ON public.indexed (n)"))
        #expect(done.withLock { $0 == nil })
        holder.rollback()
        for _ in 0..<2_000 where done.withLock({ $0 == nil }) { Thread.sleep(forTimeInterval: 0.005) }
        try #require(done.withLock { $0 }).get()
    }

    @Test func `programs that wait hold no snapshot`() throws {
        let server = try PostgresServer()
        defer { server.stop() }
        let options = try options(server, schema: "shop")
        // The creation of a store, a migration, and the removal of what older versions have left.
        try expectNoSnapshot(waitingFor: "shop", on: server) {
            try PostgresStores.store(VersionedShop.version(), at: options).close()
        }
        let second = VersionedShop.version { shop in shop.rename(shop.attribute("title"), to: "name") }
        let model = Handed(second)
        try expectNoSnapshot(waitingFor: "shop", on: server) {
            try PostgresStores.store(model.value, at: options).close()
        }
        try expectNoSnapshot(waitingFor: "shop", on: server) {
            _ = try PostgresMigrations.contract(options, options: StoreOptions())
        }
        try expectNoSnapshot(waitingFor: "shop", on: server) {
            try StoreOnServer(options, options: StoreOptions()).destroy(isForced: true)
        }
    }

    @Test func `a turn that does not come in time is an error that says so`() throws {
        let server = try PostgresStores.migrationServer()
        try PostgresStores.store(VersionedShop.version(), at: server).close()
        let holder = try PostgresConnection.open(server.address)
        let lock = AdvisoryLock.tables(ofSchema: server.schema)
        #expect(try lock.begin(on: holder, TransactionOptions(.readCommitted), thenLockingWithin: nil))
        let next = VersionedShop.version { shop in shop.rename(shop.attribute("title"), to: "name") }
        let error = try #require(throws: CoreDataError.self) {
            _ = try PostgresStores.store(next, at: server, timeout: 0.5)
        }
        #expect(error.condition == .timedOut && error.message.contains("another program is migrating it"))
        holder.rollback()
        try PostgresStores.store(next, at: server).close()
    }

    @Test func `the timeout of other locks applies behind the turn`() throws {
        let server = try PostgresStores.migrationServer()
        let connection = try PostgresConnection.open(server.address)
        let lock = AdvisoryLock.tables(ofSchema: server.schema)
        try lock.transaction(
            on: connection, TransactionOptions(.readCommitted), within: .seconds(1),
            thenLockingWithin: .milliseconds(1500)
        ) {
            let limit = try connection.run("SHOW lock_timeout").string(0, column: 0)
            #expect(limit == "1500ms")
        }
        #expect(try connection.run("SHOW lock_timeout").string(0, column: 0) == "2s")
    }

    @Test(arguments: [Duration.seconds(2_592_000), .seconds(Int64.max)])
    func `a store can be created with a longer timeout of locks than a server has`(timeout: Duration) throws {
        var server = try PostgresStores.migrationServer()
        server.address.timeouts.lock = timeout
        let store = try PostgresStores.store(VersionedShop.version(), at: server)
        let book = try #require(store.model.entity(named: "Book")).number
        try store.insert(book, ["title": .string("a"), "year": .int(1)])
        #expect(try store.values(book, "title") == [.string("a")])
        store.close()
    }

    @Test func `calls that leave no store open leave no connection`() throws {
        var server = try PostgresStores.migrationServer()
        // A name by which the connections are found.
        let name = "closed_\(server.schema)"
        let text =
            "host=\(server.address.hosts[0].name) port=\(server.address.hosts[0].port ?? 5432) user=postgres dbname=migrations schema=\(server.schema) application_name=\(name)"
        server = try PostgresOptions(text)
        let model = VersionedShop.version()
        let options = try PostgresStores.migrationOptions(model)
        try PostgresStores.store(model, at: server).close()
        _ = try PostgresMigrations.plan(server, model: model.compiled(), options: options)
        _ = try PostgresMigrations.contractPlan(server, options: options)
        _ = try PostgresMigrations.contract(server, options: options)
        _ = try PostgresMigrations.model(of: server, options: options)
        _ = try StoreOnServer(server, options: options).metadata()
        var never = server
        never.changes = .never
        let other = VersionedShop.version { shop in shop.rename(shop.attribute("title"), to: "name") }
        #expect(throws: CoreDataError.self) { _ = try PostgresStores.store(other, at: never) }
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'"
        for _ in 0..<1_000 where try PostgresStores.run(sql) != ["0"] { Thread.sleep(forTimeInterval: 0.005) }
        #expect(try PostgresStores.run(sql) == ["0"])
    }
}
#endif
