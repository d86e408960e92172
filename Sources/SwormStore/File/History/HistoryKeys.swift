import SwormSQLite

/// The numbers and the highest keys of the history's tables, as recorded in `Z_PRIMARYKEY`.
enum HistoryKeys {
    struct Record {
        /// The value of `Z_ENT` in the rows of the table.
        var number: Int64
        var highest: Int64
    }

    /// Returns the record of a file for a table, or nil if the file has no such record.
    static func recorded(
        _ kind: HistoryTables.Kind, model: CompiledModel, connection: StoreConnection
    ) throws -> Record? {
        var record: Record?
        // An entity of the model may have the same name, but its number is within the range of the model's numbers.
        try connection.rows(
            "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = ? AND Z_ENT > ? ORDER BY Z_ENT DESC LIMIT 1",
            binding: [.text(kind.rawValue), .integer(Int64(model.entities.count))]
        ) { record = Record(number: $0.int64(0), highest: $0.int64(1)) }
        return record
    }

    /// Returns the statement that inserts a missing record.
    static func newRow(_ kind: HistoryTables.Kind, highest: Int64) -> (sql: String, values: [StoredValue]) {
        (
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)",
            [.integer(kind.number), .text(kind.rawValue), .integer(highest)]
        )
    }

    /// Reserves keys, and corrects a record that is lower than the keys of the rows.
    static func reserve(
        _ count: Int, of kind: HistoryTables.Kind, model: CompiledModel, connection: StoreConnection
    ) throws -> (first: Int64, number: Int64) {
        let record = try recorded(kind, model: model, connection: connection)
        let present = try connection.integer("SELECT max(Z_PK) FROM \(kind.table)")
        let highest = max(record?.highest ?? 0, present ?? 0, 0)
        // There must be one more key than requested, because the first key must be a valid number even if none is
        // reserved.
        let (last, overflow) = highest.addingReportingOverflow(Int64(count))
        guard !overflow, highest < .max else {
            throw CoreDataError(
                NSPersistentStoreSaveError,
                "The history of the store has no primary keys left in the table '\(kind.table)': the highest key is \(highest)."
            )
        }
        if let record {
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", binding: [.integer(last), .integer(record.number)])
        } else {
            let row = newRow(kind, highest: last)
            try connection.run(row.sql, binding: row.values)
        }
        return (highest + 1, record?.number ?? kind.number)
    }

    /// Returns the key under which the history stores a string. Each string is stored once.
    static func key(ofString text: String, model: CompiledModel, connection: StoreConnection) throws -> Int64 {
        let found = try connection.integer(
            "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", binding: [.text(text)])
        if let found { return found }
        let (key, number) = try reserve(1, of: .string, model: model, connection: connection)
        try connection.run(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)",
            binding: [.integer(key), .integer(number), .text(text)])
        return key
    }
}
