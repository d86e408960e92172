extension MigrationPlanner {
    // MARK: Rejections

    /// Throws an error if a third-party object in the file has a name or number that the new model needs.
    func refuseForeignNames() throws {
        try refuseForeignTables()
        try refuseForeignColumns()
        try refuseForeignRecords()
    }

    /// Throws an error if a third-party table or index has a name that the new model needs. SQLite ignores case in
    /// names, and tables and indexes share one namespace.
    private func refuseForeignTables() throws {
        let known = Set(oldTableNames.map { $0.uppercased() })
        func byUpper(_ names: [String]) -> [String: String] {
            Dictionary(names.map { ($0.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
        }
        let tables = byUpper(tables.map(\.table.name) + joins.map(\.join.table))
        let indexes = byUpper(newIndexes.map(\.name))
        let present =
            source.types.keys.map { SchemaObject(kind: .table, name: $0, table: $0) }
            + source.objects.filter { $0.kind == .table || $0.kind == .index }
        for object in present.sorted(by: { $0.name < $1.name }) {
            guard !known.contains(object.table.uppercased()) || (object.kind == .index && !isOwn(object)) else {
                continue
            }
            let upper = object.name.uppercased()
            guard let needed = tables[upper] ?? indexes[upper] else { continue }
            let what = object.kind == .table ? "table" : "index"
            let name = needed == object.name ? "that name" : "the name '\(needed)', which is the same to SQLite"
            throw CoreDataError(
                NSMigrationError,
                "The file has \(what == "table" ? "a table" : "an index") '\(object.name)' that is not part of its model, and the new model needs \(name). Rename or remove that \(what)."
            )
        }
    }

    private func refuseForeignColumns() throws {
        for plan in tables {
            guard let (table, column) = plan.carried.clashes.first(where: { $0.column.values > 0 }) else { continue }
            throw CoreDataError(
                NSMigrationError,
                "The table '\(table)' has a column '\(column.name)' that is not part of the model, with \(column.values == 1 ? "1 value" : "\(column.values) values"), and the new model needs that name in the table '\(plan.table.name)'. Rename or remove that column.",
                entity: plan.root.name)
        }
    }

    private func refuseForeignRecords() throws {
        let last = Int64(map.destination.entities.count)
        let moving = HistoryTables.Kind.allCases.filter { kind in
            source.otherRecords[kind.rawValue].map { $0 <= last } ?? false
        }
        let needed = Set(moving.map { Int64($0.number) })
        for (number, name) in source.foreignRecords.sorted(by: { $0.key < $1.key }) {
            guard number <= last || needed.contains(number) else { continue }
            throw CoreDataError(
                NSMigrationError,
                "The table Z_PRIMARYKEY has a row with the number \(number) (\(name.map { "'\($0)'" } ?? "without a name")) that does not belong to an entity of the model, and the new model needs that number. Remove that row, or give it a much higher number."
            )
        }
    }

    // MARK: References

    /// Returns the table that has the objects of a replaced table after the migration; nil if all of them are deleted.
    /// If there are several, it is the one with the root's own objects.
    func successor(of root: Int) -> TablePlan? {
        let pairs = map.pairs(outOf: root)
        guard let pair = pairs.first(where: { $0.source.number == root }) ?? pairs.first else { return nil }
        return tables.first { $0.root.number == pair.destination.root }
    }

    /// Returns the third-party references to a table.
    func references(to table: String) -> [ForeignKey] {
        source.foreignKeys.filter { $0.target.uppercased() == table.uppercased() }
    }

    /// Returns the table that has the column of a reference after the migration; nil if no table has it.
    private func holder(of reference: ForeignKey) -> String? {
        let table = reference.table
        if let plan = tables.first(where: { $0.kept == table }) { return plan.table.name }
        if let root = oldTables.first(where: { $0.name == table })?.root {
            let name = reference.column.uppercased()
            guard let plan = successor(of: root),
                plan.carried.columns.contains(where: { $0.name.uppercased() == name && !$0.isGenerated })
            else { return nil }
            return plan.table.name
        }
        if let join = joins.first(where: { $0.kept?.table == table }) { return join.join.table }
        return oldJoins.contains(table) ? nil : table
    }

    /// Renames a table without changing the references to it.
    func renamingAlone(_ table: String, to name: String) -> [MigrationStatement] {
        [
            "PRAGMA legacy_alter_table = ON",
            MigrationStatement("ALTER TABLE \(SQLName.quoted(table)) RENAME TO \(SQLName.quoted(name))"),
            "PRAGMA legacy_alter_table = OFF",
        ]
    }

    /// Redirects references that followed an old table to the table that now has its objects.
    ///
    /// SQLite updates a reference when the table that it points to is renamed. Therefore the new table temporarily
    /// takes the old one's name, and the references follow when it gets its own name back.
    func redirectReferences() -> [MigrationStatement] {
        var statements: [MigrationStatement] = []
        for table in oldTables {
            let references = references(to: table.name)
            guard !references.isEmpty, let plan = successor(of: table.root) else { continue }
            statements += renamingAlone(plan.table.name, to: table.moved)
            statements.append("ALTER TABLE \(table.moved) RENAME TO \(SQLName.quoted(plan.table.name))")
            let highest = source.highestKeys[table.root] ?? 0
            guard let offset = offsets.offset(from: table.root, into: plan.root.number), offset > 0 else { continue }
            for reference in references where reference.leadsToKeys {
                guard let holder = holder(of: reference) else { continue }
                let (name, column) = (SQLName.alwaysQuoted(holder), SQLName.alwaysQuoted(reference.column))
                let number = "CAST(\(column) AS INTEGER)"
                // Values that cannot be the key of an object are not changed: numbers out of range, and text.
                let keys = "\(column) = \(number) AND \(number) BETWEEN 1 AND \(highest)"
                let moved = "\(column) = \(number) AND \(number) BETWEEN \(-highest - offset) AND \(-1 - offset)"
                // The update goes through numbers that no object has, because the keys may have to be unique at any
                // time.
                statements.append("UPDATE \(name) SET \(column) = -\(column) - \(offset) WHERE \(keys)")
                statements.append("UPDATE \(name) SET \(column) = -\(column) WHERE \(moved)")
            }
        }
        return statements
    }
}
