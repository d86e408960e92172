import SwormSQLite
import SwormRows

/// The observers of the statements of a store's connections.
struct StatementWatches: Sendable {
    private var watches: [(number: Int, watch: StatementWatch)] = []
    private var last = 0
    /// An observer that calls all observers, or nil without observers.
    private(set) var combined: StatementWatch?

    init(_ first: StatementWatch?) {
        if let first { _ = add(first) }
    }

    mutating func add(_ watch: StatementWatch) -> Int {
        last += 1
        watches.append((last, watch))
        combined = .all(watches.map(\.watch))
        return last
    }

    mutating func remove(_ number: Int) {
        watches.removeAll { $0.number == number }
        combined = .all(watches.map(\.watch))
    }
}

extension SQLiteStore {
    /// Returns whether a store runs a statement for its own purposes: to begin or end transactions, to set up the
    /// connection, or to maintain key counters, metadata and history. Such statements do not answer any request.
    package static func isUpkeep(_ sql: String) -> Bool {
        let words = sql.split(maxSplits: .max) { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let first = words.first?.uppercased(), requests.contains(first) else { return true }
        // The query for the largest key in use, which runs when new keys are reserved.
        if sql.hasPrefix("SELECT max(Z_PK) FROM "), words.count == 5 { return true }
        return words.contains { ownTables.contains($0) }
    }

    private static let requests: Set<String> = ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "DECLARE"]
    private static let ownTables: Set<Substring> = [
        "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "sqlite_master", "pragma_table_info", "ATRANSACTION",
        "ATRANSACTIONSTRING", "ACHANGE", "_sworm", "_sworm_writer", "_sworm_outcome", "_sworm_change",
        "pg_namespace", "pg_try_advisory_xact_lock", "set_config", "nextval",
    ]
}
