#if PostgreSQL
import Foundation
import SwormPostgres

/// The row by which a store on a server keeps a history.
struct HistorySetup {
    /// The content of the row.
    struct Found: Sendable {
        var level: ServerHistory.Level
        /// Whether the numbers of transactions continue those of the history.
        var isContinued: Bool
        /// The hashes of the triggers that were made, one for each version of the model. The triggers are those of the last.
        var triggers: [String]
    }

    let sql: HistorySQL

    /// Reads the row, or returns nil if the store keeps no history.
    func found(_ connection: PostgresConnection) throws -> Found? {
        let result = try connection.run(
            "SELECT h.\"level\"::bigint, h.\"home\" = h.tableoid::bigint, h.\"triggers\" FROM \(sql.history) AS h")
        guard result.rowCount > 0, let level = try result.int64(0, column: 0) else { return nil }
        return Found(
            // A later version may know further levels.
            level: ServerHistory.Level(rawValue: Int16(clamping: level)) ?? .everybody,
            isContinued: try result.bool(0, column: 1) ?? false,
            triggers: try result.strings(0, column: 2)?.compactMap(\.self) ?? [])
    }

    /// Reads the level of the history, and continues a history that was restored.
    func renewed(_ connection: PostgresConnection, isReadOnly: Bool) throws -> ServerHistory.Level {
        guard let found = try found(connection) else { return .none }
        if !found.isContinued, !isReadOnly { try connection.run(sql.continuation) }
        return found.level
    }

    /// Returns whether the server shows the number of its timeline.
    func hasTimelines(_ connection: PostgresConnection) throws -> Bool {
        do {
            try connection.run("SELECT \(HistorySQL.timeline)")
            return true
        } catch let error as ServerError
            where error.kind == .statement || error.kind == .permission || error.kind == .notSupported
        {
            return false
        }
    }

    /// Returns the statement that starts a history, or adds the changes of more writers to it. The transaction has to be the
    /// only one that changes the schema, and has to run ``restriction(_:)`` too.
    func start(_ level: ServerHistory.Level, hasTimelines: Bool) -> SQLStatement {
        let parameters = Parameters()
        parameters.append(level.rawValue)
        parameters.append(hasTimelines)
        let home = "\(SQLName.literal(sql.history))::regclass::oid::bigint"
        return .command(
            "INSERT INTO \(sql.history) AS h (\"id\", \"level\", \"base\", \"home\", \"timelines\") SELECT 1, $1, 0, \(home), $2 ON CONFLICT (\"id\") DO UPDATE SET \"level\" = GREATEST(h.\"level\", excluded.\"level\")",
            with: parameters)
    }

    /// Returns the statements after which a transaction that does not write the history, or not as it has to, can no longer be
    /// committed. They lock the table that each commit writes, and are the last ones that wait for a lock.
    func restriction(_ level: ServerHistory.Level) -> [SQLStatement] {
        [
            .command("ALTER TABLE \(sql.outcomes) DROP CONSTRAINT IF EXISTS \"\(HistorySQL.constraint)\""),
            .command(
                "ALTER TABLE \(sql.outcomes) ADD CONSTRAINT \"\(HistorySQL.constraint)\" CHECK (\"history\" >= \(level.rawValue)) NOT VALID"
            ),
        ]
    }
}
#endif
