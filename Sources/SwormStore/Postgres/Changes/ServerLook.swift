#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// A look for the transactions that have become visible since the last one.
///
/// Transactions are found as soon as they are visible, and not only behind the horizon of the history: which ones were found
/// before is determined by the server's snapshot of the last look.
struct ServerLook {
    /// A commit of another process.
    struct Commit: Sendable {
        var number: Int64
        var author: String?
    }

    /// The findings of a look.
    struct Found: Sendable {
        /// The state that was read, in the server's form.
        var snapshot: String
        var level: ServerHistory.Level
        /// The number of the history below which no transaction will be added any more; nil without a history.
        var horizon: Int64?
        /// The commits of other processes, if the store keeps a history.
        var commits: [Commit] = []
        /// Whether there were commits of other processes of which only that is known.
        var hasUnknownCommits = false
    }

    /// The number of commits, and of changes, above which they are not read one by one.
    private static let (commitLimit, changeLimit) = (1_000, 10_000)

    let connection: PostgresConnection
    let history: ServerHistory
    private var sql: HistorySQL { history.sql }

    /// - Parameter snapshot: The state of the last look; nil for the first one, which finds no commits.
    func found(since snapshot: String?) throws -> Found {
        let parameters = Parameters()
        var results: [PostgresResult]
        let state =
            "SELECT pg_catalog.pg_current_snapshot()::text, (SELECT h.\"level\"::bigint FROM \(sql.history) AS h), \(sql.horizon)"
        guard let snapshot, parameters.append(snapshot) else {
            results = [try connection.run(state)]
            return try self.state(results[0])
        }
        // A history that another program has just started may not have everything since the last look.
        let readsHistory = history.level > .none
        if !readsHistory { _ = parameters.append(ServerHistory.processText) }
        // One transaction, so that all statements read one state.
        try connection.begin(TransactionOptions(.repeatableRead, isReadOnly: true))
        do {
            results = try connection.commit(after: [
                SQLStatement(state),
                SQLStatement(readsHistory ? transactions : Self.outcomes(in: sql), with: parameters),
            ])
        } catch {
            connection.rollback()
            throw error
        }
        var found = try self.state(results[0])
        guard readsHistory else {
            found.hasUnknownCommits = try results[1].bool(0, column: 0) ?? false
            return found
        }
        for row in 0..<results[1].rowCount {
            guard let number = try results[1].int64(row, column: 0),
                !ServerHistory.isOfThisProcess(try results[1].uuid(row, column: 1))
            else { continue }
            found.commits.append(Commit(number: number, author: try results[1].string(row, column: 2)))
        }
        return found
    }

    private func state(_ result: PostgresResult) throws -> Found {
        guard let snapshot = try result.string(0, column: 0) else {
            throw ServerError(.server, "the server sent no snapshot")
        }
        let level = try result.int64(0, column: 1).map {
            ServerHistory.Level(rawValue: Int16(clamping: $0)) ?? .everybody
        }
        return Found(snapshot: snapshot, level: level ?? .none, horizon: try result.int64(0, column: 2))
    }

    /// The transactions of the history that the snapshot `$1` does not show.
    private var transactions: String {
        """
        SELECT t."number", t."instance", t."author" FROM \(sql.history) AS h \
        JOIN \(sql.transactions) AS t ON t."number" >= \(HistorySQL.lowest(in: "$1::pg_snapshot")) \
        AND NOT pg_catalog.pg_visible_in_snapshot(\(HistorySQL.transactionID), $1::pg_snapshot) \
        AND \(Self.isOfThisServer(HistorySQL.transactionID)) ORDER BY t."number"
        """
    }

    /// The condition that a committed transaction is not one of another server, whose rows a backup has brought with their
    /// higher numbers.
    private static func isOfThisServer(_ transaction: String) -> String {
        "\(transaction) < pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())"
    }

    /// The query whether other processes than `$2` have committed transactions that the snapshot `$1` does not show.
    static func outcomes(in sql: HistorySQL) -> String {
        """
        SELECT EXISTS (SELECT 1 FROM \(sql.outcomes) AS o WHERE o."xid" >= pg_catalog.pg_snapshot_xmin($1::pg_snapshot) \
        AND NOT pg_catalog.pg_visible_in_snapshot(o."xid", $1::pg_snapshot) AND \(isOfThisServer("o.\"xid\"")) \
        AND pg_catalog.left(o."instance"::text, \(ServerHistory.processText.count)) <> $2)
        """
    }

    // MARK: Changes

    /// Returns the changes of commits; nil if they cannot be determined.
    func changes(_ commits: [Commit], store: PostgresStore) throws -> CommittedChanges? {
        guard !commits.isEmpty, commits.count <= Self.commitLimit else { return nil }
        let (schema, numbers) = (Parameters(), Parameters())
        numbers.append(keys: commits.map(\.number))
        guard schema.append(store.serverOptions.schema) else { return nil }
        let results = try connection.run([
            SQLStatement(
                "SELECT \(ServerHistoryReader.columns) FROM \(sql.changes) AS c WHERE c.\"number\" = ANY($1) ORDER BY c.\"number\", c.\"seq\" LIMIT \(Self.changeLimit + 1)",
                with: numbers),
            SQLStatement("SELECT \(HistorySQL.hasForeignTriggers)", with: schema),
        ])
        // A trigger's changes are not in the history.
        guard results[0].rowCount <= Self.changeLimit, try results[1].bool(0, column: 0) == false else { return nil }
        var found: [Int64: [StoredChange]] = [:]
        try ServerHistoryReader.readChanges(results[0], schema: store.schema) { found[$0, default: []].append($1) }
        var all: CommittedChanges?
        for commit in commits {
            // Its changes were deleted in the meantime, or are of entities that the model does not have.
            guard let changes = found[commit.number] else { return nil }
            var transaction = StoredTransaction(number: commit.number, timestamp: Date(), author: commit.author)
            transaction.changes = changes
            let next = CommittedChanges(transaction, model: store.model)
            if all == nil { all = next } else { all?.merge(next) }
        }
        return all
    }
}
#endif
