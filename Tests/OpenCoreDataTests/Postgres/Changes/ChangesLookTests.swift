#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Looks for commits in a store that a backup has brought from a server with higher numbers of transactions.
@Suite("Changes on a server: looks in a restored store", .enabled(if: PostgresServer.isEnabled))
struct ChangesLookTests {
    /// The number of a transaction that the server does not reach.
    private static let later = "9000000000000"

    @Test func `a look reports the outcomes of this server, and not those of another one`() throws {
        let store = try HistoryServer.open(PostgresStores.options(), keepsHistory: false)
        try store.pass(
            "INSERT INTO @\"_sworm_outcome\" (\"id\", \"xid\", \"instance\") VALUES (gen_random_uuid(), '\(Self.later)'::xid8, gen_random_uuid())"
        )
        let look = ServerLook(connection: try store.pass(), history: store.history)
        let first = try look.found(since: nil)
        #expect(first.level == .none && !first.hasUnknownCommits)
        let second = try look.found(since: first.snapshot)
        #expect(!second.hasUnknownCommits)
        // A commit of another process.
        try store.pass(
            "INSERT INTO @\"_sworm_outcome\" (\"id\", \"xid\", \"instance\") VALUES (gen_random_uuid(), pg_current_xact_id(), gen_random_uuid())"
        )
        let third = try look.found(since: second.snapshot)
        #expect(third.hasUnknownCommits)
        let fourth = try look.found(since: third.snapshot)
        #expect(!fourth.hasUnknownCommits)
    }

    @Test func `a look finds the transactions of this server in a history, and not those of another one`() throws {
        let store = try HistoryServer.open(PostgresStores.options())
        try store.pass(
            "INSERT INTO @\"_sworm_transaction\" (\"number\", \"instance\") VALUES (('\(Self.later)'::bigint << \(HistorySQL.shift)) | 1, gen_random_uuid())"
        )
        let look = ServerLook(connection: try store.pass(), history: store.history)
        let first = try look.found(since: nil)
        #expect(first.level == .own)
        let second = try look.found(since: first.snapshot)
        #expect(second.commits.isEmpty)
        try store.pass(
            "INSERT INTO @\"_sworm_transaction\" (\"number\", \"instance\", \"author\") SELECT \(store.history.sql.number(1)), gen_random_uuid(), 'other'"
        )
        let third = try look.found(since: second.snapshot)
        #expect(third.commits.map(\.author) == ["other"])
        let fourth = try look.found(since: third.snapshot)
        #expect(fourth.commits.isEmpty)
    }
}
#endif
