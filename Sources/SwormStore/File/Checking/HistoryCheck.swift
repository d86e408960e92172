import SwormSQLite

/// A check of the rows of a store's persistent history.
struct HistoryCheck {
    let connection: StoreConnection
    let model: CompiledModel

    /// Returns all issues that are found; empty for a store without a history.
    func issues() throws -> [StoreIssue] {
        let columns = try HistoryTables.columns(connection)
        guard let changes = columns[.change], let transactions = columns[.transaction] else { return [] }
        var issues: [StoreIssue] = []
        func count(_ kind: StoreIssue.Kind, by sql: String, _ message: (Int64) -> String) throws {
            if let count = try connection.integer(sql), count > 0 { issues.append(StoreIssue(kind, message(count))) }
        }
        if changes.contains("ZTRANSACTIONID") {
            try count(
                .historyTransaction,
                by:
                    "SELECT count(*) FROM ACHANGE c WHERE NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = c.ZTRANSACTIONID)"
            ) { "ACHANGE: \($0) rows belong to no transaction" }
        }
        for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
        where transactions.contains(column) {
            let missing =
                columns[.string] == nil
                ? "1" : "NOT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column))"
            try count(
                .historyReference,
                by: "SELECT count(*) FROM ATRANSACTION t WHERE t.\(column) IS NOT NULL AND \(missing)"
            ) {
                "ATRANSACTION: \($0) rows have a \(column) that refers to no row"
            }
        }
        if changes.contains("ZENTITY") {
            try count(
                .historyChange,
                by:
                    "SELECT count(*) FROM ACHANGE WHERE ZENTITY NOT IN (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT <= \(model.entities.count))"
            ) { "ACHANGE: \($0) rows have an unknown entity" }
        }
        if changes.contains("ZCHANGETYPE") {
            try count(.historyChange, by: "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE NOT IN (0, 1, 2)") {
                "ACHANGE: \($0) rows are neither an insertion nor an update nor a deletion"
            }
        }
        for kind in HistoryTables.Kind.allCases where columns[kind] != nil {
            let record = try HistoryKeys.recorded(kind, model: model, connection: connection)
            let highest = try connection.integer("SELECT max(Z_PK) FROM \(kind.table)") ?? 0
            if record?.highest ?? -1 < highest {
                issues.append(
                    StoreIssue(
                        .keyBehind,
                        "\(kind.rawValue): Z_MAX is \(record.map { String($0.highest) } ?? "missing"), the highest key is \(highest)"
                    ))
            }
        }
        return issues
    }
}
