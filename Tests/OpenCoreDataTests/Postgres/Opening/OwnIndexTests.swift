#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: the indexes of the store's own tables", .enabled(if: PostgresServer.isEnabled))
struct OwnIndexTests {
    private let model = LibraryModel.model

    private func indexes(of server: PostgresOptions) throws -> [String?] {
        try PostgresStores.run(
            "SELECT indexname::text FROM pg_indexes WHERE schemaname = '\(server.schema)' AND tablename = '_sworm_outcome' ORDER BY 1"
        )
    }

    private let all = ["_sworm_outcome_pkey", "_sworm_outcome_time", "_sworm_outcome_xid"]

    @Test func `a new store has them, and a copy`() throws {
        let store = try PostgresStores.store(of: model)
        #expect(try indexes(of: store.serverOptions) == all)
        let copy = try PostgresStores.options()
        let session = try #require(store.beginSession() as? PostgresSession)
        defer { session.end() }
        _ = try ServerOpening(model: model, options: StoreOptions(), serverOptions: copy)
            .copy(ServerCopySource(session: session), metadata: [:], replacing: false)
        #expect(try indexes(of: copy) == all)
    }

    @Test func `a look for other commits, and the removal of old markers, use them`() throws {
        let store = try PostgresStores.store(of: model)
        let outcomes = store.schema.prefix + "\"_sworm_outcome\""
        try PostgresStores.run(
            "INSERT INTO \(outcomes) (\"id\", \"xid\", \"time\") SELECT gen_random_uuid(), n::text::xid8, now() - n * interval '1 second' FROM generate_series(3, 20000) AS n"
        )
        try PostgresStores.run("ANALYZE \(outcomes)")
        func plan(_ sql: String) throws -> String {
            try PostgresStores.run("EXPLAIN \(sql)").compactMap(\.self).joined(separator: "\n")
        }
        let sql = ServerLook.outcomes(in: store.history.sql)
            .replacing("$1", with: "'30000:30000:'").replacing("$2", with: "'x'")
        #expect(try plan(sql).contains("_sworm_outcome_xid"))
        #expect(try plan(PostgresStore.removalOfOutcomes(in: outcomes)).contains("_sworm_outcome_time"))
    }

    @Test func `a store of an earlier version gets them when its owner opens it`() throws {
        let server = try PostgresStores.store(of: model).serverOptions
        for name in ["time", "xid"] { try PostgresStores.run("DROP INDEX \(server.schema)._sworm_outcome_\(name)") }
        let warnings = Locked<[String]>([])
        func open(_ server: PostgresOptions, _ options: StoreOptions = StoreOptions()) throws {
            let store = try PostgresStores.store(of: model, at: server, options)
            let remove = store.addWarningListener { warning in warnings.withLock { $0.append(warning.message) } }
            #expect(store.upkeep.wait(until: .now + .seconds(240)))
            remove()
        }
        var options = StoreOptions()
        options.isReadOnly = true
        try open(server, options)
        var unchanged = server
        unchanged.changes = .never
        try open(unchanged)
        // Only the owner of a table can create its indexes.
        var user = try PostgresStores.user(of: PostgresStores.store(of: model, at: unchanged))
        user.changes = server.changes
        try open(user)
        #expect(try indexes(of: server) == ["_sworm_outcome_pkey"])
        try open(server)
        #expect(try indexes(of: server) == all)
        #expect(warnings.withLock { $0 } == [])
        let valid = try PostgresStores.run(
            "SELECT count(*) FROM pg_index WHERE indrelid = '\(server.schema)._sworm_outcome'::regclass AND indisvalid")
        #expect(valid == ["3"])
    }
}
#endif
