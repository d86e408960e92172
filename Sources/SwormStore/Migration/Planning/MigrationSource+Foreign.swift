import SwormSQLite

extension MigrationSource {
    /// Reads the columns that other programs have added to the tables of the model, and their references to these
    /// tables.
    mutating func readForeign(_ connection: StoreConnection, model: CompiledModel) throws {
        var known: [String: Set<String>] = [:]
        for root in MigrationPlanner.roots(of: model) {
            if let table = layout.tables[root.number] { known[table.name] = Set(table.columns.map(\.name)) }
            for join in layout.ownedJoins(of: root, in: model) {
                let columns = [join.ownColumn, join.otherColumn, join.orderColumn, join.inverseOrderColumn]
                known[join.table] = Set(columns.compactMap { $0 })
            }
        }
        for (table, columns) in known {
            let found = try Self.columns(of: table, beside: columns, objects: objects, on: connection)
            if !found.isEmpty { foreignColumns[table] = found }
        }
        // Core Data declares no foreign keys, so those in tables of the model belong to third-party columns.
        for object in objects where object.kind == .table {
            try connection.rows(
                "SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?)", binding: [.text(object.name)]
            ) { row in
                guard let column = row.text(0), let target = row.text(1) else { return }
                let other = row.text(2)?.uppercased()
                foreignKeys.append(
                    ForeignKey(
                        table: object.name, column: column, target: target, leadsToKeys: other == nil || other == "Z_PK"
                    ))
            }
        }
    }

    private static func columns(
        of table: String, beside known: Set<String>, objects: [SchemaObject], on connection: StoreConnection
    ) throws -> [UnmanagedColumn] {
        var found: [UnmanagedColumn] = []
        let upper = Set(known.map { $0.uppercased() })
        // The shorter `table_info` list omits generated columns.
        try connection.rows(
            "SELECT name, type, hidden FROM pragma_table_xinfo(?) ORDER BY cid", binding: [.text(table)]
        ) {
            row in
            guard let name = row.text(0), !upper.contains(name.uppercased()), row.int64(2) != 1 else { return }
            found.append(
                UnmanagedColumn(name: name, type: row.text(1) ?? "", isGenerated: row.int64(2) > 1, values: 0))
        }
        guard !found.isEmpty else { return [] }
        let sql = objects.first { $0.kind == .table && $0.name == table }?.sql
        let definitions = sql.map { ColumnDefinitions($0) }
        for index in found.indices {
            found[index].definition = definitions?[found[index].name]
            guard !found[index].isGenerated else { continue }
            found[index].values =
                try connection.integer(
                    "SELECT count(\(SQLName.alwaysQuoted(found[index].name))) FROM \(SQLName.quoted(table))") ?? 0
        }
        return found
    }
}
