import SwormSQLite
import SwormRows

/// The observers of the statements of a store's connections.
struct StatementWatches: Sendable {
    private var watches: [(number: Int, watch: StatementWatch)] = []
    private var last = 0
    /// One observer that calls all of them; nil if there are none.
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
    /// Whether a statement is one that a store runs for itself: it begins and ends transactions, sets the connection up, or
    /// keeps numbers, metadata and history. Nobody's request is answered by it.
    package static func isUpkeep(_ sql: String) -> Bool {
        let words = sql.split(maxSplits: .max) { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let first = words.first?.uppercased(), requests.contains(first) else { return true }
        // The largest key that is in use, asked for when new ones are reserved.
        if sql.hasPrefix("SELECT max(Z_PK) FROM "), words.count == 5 { return true }
        return words.contains { ownTables.contains($0) }
    }

    private static let requests: Set<String> = ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"]
    private static let ownTables: Set<Substring> = [
        "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "sqlite_master", "pragma_table_info", "ATRANSACTION",
        "ATRANSACTIONSTRING", "ACHANGE",
    ]
}
