import SwormPredicates
import SwormSQLite

extension SaveTransaction {
    /// Assigns a key to every inserted row, and records the highest key of each hierarchy in the row of its root
    /// entity.
    func allocateKeys() throws {
        let keys = InsertedKeys(of: request, model: model)
        for (root, key) in keys.highest { try raiseKeys(of: root, to: key) }
        result.keys = keys.assignedKeys
        for (root, keys) in keys.temporary {
            let first = try Self.reserve(
                keys.count, root: root, model: model, table: columns[root - 1].table, connection: connection)
            // The check avoids an overflow: no integer follows the largest one.
            for (index, key) in keys.enumerated() { try result.keys.assignOnce(first + Int64(index), to: key) }
        }
    }

    /// Reserves keys and returns the first one.
    ///
    /// The recorded highest key can be too low, for example if a tool added rows to the file. Therefore the rows are
    /// queried too.
    static func reserve(
        _ count: Int, root: Int, model: CompiledModel, table: String, connection: StoreConnection
    ) throws -> Int64 {
        let recorded = try connection.integer(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", binding: [.integer(Int64(root))])
        let present = try connection.integer("SELECT max(Z_PK) FROM \(table)")
        let highest = max(recorded ?? 0, present ?? 0, 0)
        let (last, overflow) = highest.addingReportingOverflow(Int64(count))
        guard !overflow else {
            throw CoreDataError(
                NSPersistentStoreSaveError,
                "The store has no primary keys left for '\(model[root].name)': the highest key is \(highest).",
                entity: model[root].name)
        }
        try record(last, root: root, model: model, connection: connection)
        return highest + 1
    }

    private func raiseKeys(of root: Int, to key: Int64) throws {
        let recorded = try connection.integer(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", binding: [.integer(Int64(root))])
        if key > recorded ?? 0 { try Self.record(key, root: root, model: model, connection: connection) }
    }

    /// Records the highest key of a hierarchy in the row of its root entity.
    static func record(_ highest: Int64, root: Int, model: CompiledModel, connection: StoreConnection) throws {
        try connection.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", binding: [.integer(highest), .integer(Int64(root))])
        guard connection.base.changes == 0 else { return }
        try connection.run(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)",
            binding: [.integer(Int64(root)), .text(model[root].name), .integer(highest)])
    }
}
