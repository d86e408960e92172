#if PostgreSQL
import Foundation
import SwormPostgres
import SwormRows

extension PostgresStore {
    package var historyDeletionRefusal: String? { nil }

    package var batchRefusal: String? { nil }

    package func origin(ofTransaction number: Int64) -> TransactionOrigin { history.origin(of: number) }

    // MARK: Deleting

    /// The number of rows that are deleted in one transaction.
    private static let deletedRows = 10_000

    package func deleteHistory(before bound: HistoryBound) throws -> Bool {
        try requireWritable()
        let token = InterruptToken()
        let lease = lease(try take(for: "delete history in", token), isWriting: true)
        defer { lease.end() }
        let connection = try lease.beginUse()
        defer { lease.endUse() }
        return try translating("delete history in", token: token) {
            guard let last = try markDeleted(before: bound, connection) else { return false }
            // From here on, nobody reads these rows. If the deletion ends early, the next one deletes the rest.
            try delete(history.sql.changes, key: "\"number\", \"seq\"", upTo: last, connection: connection)
            try delete(history.sql.transactions, key: "\"number\"", upTo: last, connection: connection)
            return true
        }
    }

    /// Notes that the transactions before a position no longer exist, and returns the number of the last one; nil if the store
    /// keeps no history.
    private func markDeleted(before bound: HistoryBound, _ connection: PostgresConnection) throws -> Int64? {
        let sql = history.sql
        let parameters = Parameters()
        var limit = "$1"
        switch bound {
        case .transaction(let number): parameters.append(number)
        case .date(let date):
            parameters.append(transactionDate: date)
            // Deletes up to the first transaction that is kept. If a clock was set back, selecting by date alone would leave
            // a gap that no token can represent.
            limit =
                "COALESCE((SELECT pg_catalog.min(t.\"number\") FROM \(sql.transactions) AS t WHERE t.\"time\" >= $1 AND t.\"number\" < \(sql.horizon)), \(Int64.max))"
        }
        let result = try connection.run(
            """
            UPDATE \(sql.history) AS h SET "purged" = GREATEST(h."purged", (SELECT pg_catalog.max(t."number") FROM \(sql.transactions) AS t \
            WHERE t."number" < \(limit) AND t."number" < \(sql.horizon))) RETURNING h."purged"
            """, with: parameters)
        return try result.int64(0, column: 0)
    }

    /// Deletes rows in parts, each in a transaction of its own.
    private func delete(
        _ table: String, key: String, upTo last: Int64, connection: PostgresConnection
    ) throws {
        while true {
            let parameters = Parameters()
            parameters.append(last)
            let deleted = try connection.run(
                "DELETE FROM \(table) AS r WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \"number\" <= $1 ORDER BY \(key) LIMIT \(Self.deletedRows))",
                with: parameters)
            if deleted.affectedRows < Self.deletedRows { return }
        }
    }

    // MARK: Keeping

    /// Returns the settings of a transaction: those that its call asks for, and those by which triggers know this library. With
    /// the one of the history, its triggers know that the transaction records its changes itself.
    func settings(of token: InterruptToken, keeping level: ServerHistory.Level) -> [TransactionOptions.Setting] {
        var settings = token.properties.settings.sorted { $0.key < $1.key }
            .map { TransactionOptions.Setting($0.key, value: $0.value) }
        if level == .everybody {
            settings.append(TransactionOptions.Setting(HistorySQL.setting.name, value: HistorySQL.setting.own))
        }
        if schema.raisesVersions { settings.append(VersionTriggers.setting) }
        return settings
    }

    /// Reads again how the history is kept, if another program has started or restored it.
    func renewHistory(_ token: InterruptToken?) throws {
        guard history.isOutdated else { return }
        let end = ContinuousClock.now.advanced(by: longestWait(token ?? InterruptToken()))
        try translating("read", token: token) {
            try pool.withConnection(for: "read", until: end, token: token) { connection in
                history.level = try HistorySetup(sql: history.sql).renewed(connection, isReadOnly: isReadOnly)
            }
        }
    }
}
#endif
