import SwormSQLite

extension SaveTransaction {
    /// Compares the versions of all rows that are to change with those in the file, before anything is written.
    ///
    /// - Throws: ``SaveConflicts`` with every row that differs.
    func checkVersions() throws {
        var conflicts: [SaveConflicts.Conflict] = []
        for update in request.updates {
            guard let found = try version(of: update.row) else {
                conflicts.append(.init(row: update.row, expected: update.version ?? 0, exists: false))
                continue
            }
            if let expected = update.version, expected != found {
                conflicts.append(.init(row: update.row, expected: expected, exists: true))
            }
            versions[update.row] = found
        }
        for deletion in request.deletions {
            guard let expected = deletion.version else { continue }
            let found = try version(of: deletion.row)
            if found != expected {
                conflicts.append(.init(row: deletion.row, expected: expected, exists: found != nil))
            }
        }
        guard conflicts.isEmpty else { throw SaveConflicts(conflicts: conflicts) }
    }

    /// The version of a row in the file; nil when there is no such row of this entity.
    private func version(of row: SaveRequest.Row) throws -> Int64? {
        var statement = try connection.base.statement(
            "SELECT Z_ENT, Z_OPT FROM \(columns(of: row).table) WHERE Z_PK = ?")
        try statement.bind(row.key, at: 1)
        guard try statement.step(), statement.int64(0) == Int64(row.entity) else { return nil }
        // Rows that a tool added can have no version; that reads as 0.
        return statement.int64(1)
    }
}
