#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Histories that start while programs use the store.
@Suite("Changes on a server: starting a history", .enabled(if: PostgresServer.isEnabled))
struct ChangesOpeningTests {
    private static var first: NSManagedObjectModel { VersionedShop.version() }
    private static var indexed: NSManagedObjectModel {
        VersionedShop.version { shop in
            shop.index("year")
            shop.book.versionHashModifier = "2"
        }
    }

    private static func open(
        _ model: NSManagedObjectModel, at server: PostgresOptions, watch: StatementWatch? = nil, timeout: Double = 60
    ) throws -> PostgresStore {
        var options = try PostgresStores.migrationOptions(model, timeout: timeout)
        options.watch = watch
        var server = server
        server.recordsOtherPrograms = true
        return try PostgresStores.store(of: model.compiled(), at: server, options)
    }

    /// Runs a closure on a thread of its own.
    private struct Running<Value: Sendable> {
        private let end = Locked<Result<Value, any Error>?>(nil)

        init(_ body: @escaping @Sendable () throws -> Value) {
            Thread.detachNewThread { [end] in
                let result = Result { try body() }
                end.withLock { $0 = result }
            }
        }

        func value() throws -> Value {
            for _ in 0..<9_000 where end.withLock({ $0 == nil }) { Thread.sleep(forTimeInterval: 0.01) }
            return try #require(end.withLock { $0 }).get()
        }
    }

    /// Waits until a query has the result 1.
    private func wait(for query: String, on connection: PostgresConnection) throws {
        for _ in 0..<2_000 {
            if try connection.run(.command(query)).int64(0, column: 0) == 1 { return }
            Thread.sleep(forTimeInterval: 0.005)
        }
        Issue.record("there is nothing of \(query)")
    }

    private func waits(of name: String) -> String {
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event_type = 'Lock'"
    }

    @Test func `a history has started before the store works on its indexes`() throws {
        let server = try PostgresStores.migrationServer()
        try PostgresStores.store(Self.first, at: server).close()
        let statements = Locked<[String]>([])
        let watch = StatementWatch { run in
            statements.withLock { $0.append(run.sql) }
            // Long enough for the work, if it had started already.
            if run.sql == "SELECT \(HistorySQL.timeline)" { Thread.sleep(forTimeInterval: 1) }
        }
        let store = try Self.open(Self.indexed, at: server, watch: watch)
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        let all = statements.withLock { $0 }
        let index = try #require(all.firstIndex { $0.hasPrefix("CREATE INDEX CONCURRENTLY") })
        let trigger = try #require(all.lastIndex { $0.contains("TRIGGER \"_sworm_history_") })
        let constraint = try #require(all.lastIndex { $0.contains("ADD CONSTRAINT \"\(HistorySQL.constraint)\"") })
        #expect(trigger < index && constraint < index)
        #expect(store.history.level == .everybody)
    }

    @Test func `a history that starts and a writer that commits do not wait for each other`() throws {
        let server = try PostgresStores.migrationServer()
        try PostgresStores.store(Self.first, at: server).close()
        let writer = try PostgresConnection.open(server.address)
        try writer.begin(TransactionOptions(.readCommitted))
        try writer.run(.command("INSERT INTO \(server.schema).\"Book\" (title, year) VALUES ('a', 1)"))
        let name = "starts \(server.schema)"
        let named = try PostgresStores.migrationServer(schema: server.schema, applicationName: name)
        let opening = Running { try Self.open(Self.first, at: named).history.level }
        let observer = try PostgresConnection.open(server.address)
        try wait(for: waits(of: name), on: observer)
        // As the library's own programs do it at the end of each transaction.
        try writer.run(.command("INSERT INTO \(server.schema).\"_sworm_outcome\" (id) VALUES (gen_random_uuid())"))
        try writer.commit()
        #expect(try opening.value() == .everybody)
    }

    @Test func `a history that waits for a writer lets other programs commit`() throws {
        var server = try PostgresStores.migrationServer()
        try PostgresStores.store(Self.first, at: server).close()
        let writer = try PostgresConnection.open(server.address)
        try writer.begin(TransactionOptions(.readCommitted))
        try writer.run(.command("INSERT INTO \(server.schema).\"Book\" (title, year) VALUES ('a', 1)"))
        let (handed, schema, address) = (Handed(writer), server.schema, server.address)
        let clock = PausedClock { number in
            #expect(throws: Never.self) {
                if number == 2 { try handed.value.commit() }
                let other = try PostgresConnection.open(address)
                try other.run(.command("INSERT INTO \(schema).\"_sworm_outcome\" (id) VALUES (gen_random_uuid())"))
                try other.run(.command("INSERT INTO \(schema).\"Book\" (title, year) VALUES ('b', 1)"))
            }
        }
        server.clock = clock
        #expect(try Self.open(Self.first, at: server).history.level == .everybody)
        #expect(clock.durations.count == 2)
    }

    @Test func `a history that cannot start says so, and nothing has changed`() throws {
        var server = try PostgresStores.migrationServer()
        try PostgresStores.store(Self.first, at: server).close()
        let writer = try PostgresConnection.open(server.address)
        try writer.begin(TransactionOptions(.readCommitted))
        try writer.run(.command("INSERT INTO \(server.schema).\"Book\" (title, year) VALUES ('a', 1)"))
        server.clock = PausedClock { _ in }
        let error = try #require(throws: CoreDataError.self) {
            _ = try Self.open(Self.first, at: server, timeout: 1)
        }
        #expect(error.condition == .timedOut && error.message.contains("with a history that it does not keep yet"))
        #expect(try PostgresStores.runMigrated("SELECT count(*) FROM \(server.schema).\"_sworm_history\"") == ["0"])
        #expect(
            try PostgresStores.runMigrated(
                "SELECT count(*) FROM pg_trigger WHERE tgrelid = '\(server.schema).\"Book\"'::regclass AND NOT tgisinternal"
            ) == ["0"])
        writer.rollback()
    }

    @Test func `a history that starts while another program creates an index makes no deadlock`() throws {
        let own = try PostgresServer(settings: ["deadlock_timeout": "200ms"])
        defer { own.stop() }
        func options(_ name: String) throws -> PostgresOptions {
            try PostgresOptions(
                "host=\(own.folder.path) port=\(own.port) user=\(own.user) dbname=postgres schema=shop application_name='\(name)'"
            )
        }
        try PostgresStores.store(Self.first, at: options("first")).close()
        let writer = try PostgresConnection.open(options("writer").address)
        try writer.begin(TransactionOptions(.readCommitted))
        try writer.run(.command("INSERT INTO shop.\"Book\" (title, year) VALUES ('a', 1)"))
        let store = try PostgresStores.store(Self.indexed, at: options("worker"))
        let observer = try PostgresConnection.open(options("observer").address)
        try wait(for: waits(of: "worker"), on: observer)
        let historian = try options("historian")
        let opening = Running { try Self.open(Self.indexed, at: historian).history.level }
        try wait(for: waits(of: "historian"), on: observer)
        Thread.sleep(forTimeInterval: 0.4)
        try writer.commit()
        #expect(try opening.value() == .everybody)
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        #expect(try store.migrationPlan() == [])
        let log = try String(contentsOf: own.folder.appending(path: "log"), encoding: .utf8)
        #expect(!log.contains("deadlock detected"))
        store.close()
    }
}
#endif
