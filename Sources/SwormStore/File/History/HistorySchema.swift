import SwormSQLite

/// Enables the history of a store, by adding its tables, indexes and rows of keys.
enum HistorySchema {
    /// Adds the missing parts to a store. A store whose history has an older format keeps that format.
    static func add(to connection: StoreConnection, model: CompiledModel) throws {
        // If nothing is missing, no lock is taken.
        guard try !missing(connection, model: model).isEmpty else { return }
        try connection.base.transaction(.immediate) { try write(connection, model: model) }
    }

    /// Adds the missing parts inside the caller's transaction.
    static func write(_ connection: StoreConnection, model: CompiledModel) throws {
        for statement in try missing(connection, model: model) {
            try connection.run(statement.sql, binding: statement.values)
        }
    }

    private typealias Addition = (sql: String, values: [StoredValue])

    private static func missing(_ connection: StoreConnection, model: CompiledModel) throws -> [Addition] {
        let present = try HistoryTables.columns(connection)
        var kinds = Set(present.keys)
        var additions: [Addition] = []
        let tombstones = (0..<(model.entities.map { $0.preservedAttributes().count }.max() ?? 0))
            .map(HistoryTables.tombstone)
        if present[.change] == nil || present[.transaction] == nil {
            let new = HistoryTables.Kind.allCases.filter { present[$0] == nil }
            additions += new.map { (table($0, tombstones: tombstones), []) } + new.flatMap(indexes).map { ($0, []) }
            kinds.formUnion(new)
        }
        // Core Data adds these columns when another model requires them.
        for column in tombstones {
            guard let changes = present[.change], !changes.contains(column) else { continue }
            additions.append(("ALTER TABLE ACHANGE ADD COLUMN \(column) BLOB", []))
        }
        for kind in HistoryTables.Kind.allCases where kinds.contains(kind) {
            guard try HistoryKeys.recorded(kind, model: model, connection: connection) == nil else { continue }
            additions.append(HistoryKeys.newRow(kind, highest: 0))
        }
        return additions
    }

    private static func table(_ kind: HistoryTables.Kind, tombstones: [String]) -> String {
        switch kind {
        case .change:
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones.map { ", \($0) BLOB" }.joined()) )"
        case .transaction:
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )"
        case .string:
            "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )"
        }
    }

    private static func indexes(_ kind: HistoryTables.Kind) -> [String] {
        switch kind {
        case .change: ["CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)"]
        case .transaction:
            [
                "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
                "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
                "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
                "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
                "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
                "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
            ]
        case .string:
            [
                "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)"
            ]
        }
    }
}
