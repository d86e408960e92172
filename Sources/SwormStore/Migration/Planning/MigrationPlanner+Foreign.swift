extension MigrationPlanner {
    // MARK: Refusals

    /// Refuses a file in which something of others stands where the new model needs the place.
    func refuseForeignNames() throws {
        try refuseForeignTables()
        try refuseForeignColumns()
        try refuseForeignRecords()
    }

    /// SQLite takes names that differ in case alone for the same, and those of tables and indexes for names of one kind.
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
            let name = needed == object.name ? "that name" : "the name \(needed), which is the same to SQLite"
            throw CoreDataError(
                NSMigrationError,
                "The file has \(what == "table" ? "a table" : "an index") \(object.name) that no entity of its model has, and the new model needs \(name). Rename that \(what), or remove it."
            )
        }
    }

    private func refuseForeignColumns() throws {
        for plan in tables {
            guard let (table, column) = plan.carried.clashes.first(where: { $0.column.values > 0 }) else { continue }
            throw CoreDataError(
                NSMigrationError,
                "The table \(table) has a column \(column.name) that no property of the model has, with \(column.values == 1 ? "1 value" : "\(column.values) values"), and the new model needs that name in \(plan.table.name). Rename that column, or remove it.",
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
                "The table Z_PRIMARYKEY has a row with the number \(number) (\(name.map { "“\($0)”" } ?? "without a name")) that is no entity's of the model, and the new model needs that number. Remove that row, or give it a number far behind."
            )
        }
    }

    // MARK: References

    /// The table in which the objects of a table that makes way are afterwards; nil where all go. Of several it is that of the
    /// root's own objects.
    func successor(of root: Int) -> TablePlan? {
        let pairs = map.pairs(outOf: root)
        guard let pair = pairs.first(where: { $0.source.number == root }) ?? pairs.first else { return nil }
        return tables.first { $0.root.number == pair.destination.root }
    }

    /// The references of other programs to a table.
    func references(to table: String) -> [ForeignKey] {
        source.foreignKeys.filter { $0.target.uppercased() == table.uppercased() }
    }

    /// The table that has the column of a reference afterwards; nil where none has.
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

    /// Renames a table, and leaves what leads to it as it is.
    func renamingAlone(_ table: String, _ name: String) -> [MigrationStatement] {
        [
            "PRAGMA legacy_alter_table = ON",
            MigrationStatement("ALTER TABLE \(SQLName.quoted(table)) RENAME TO \(SQLName.quoted(name))"),
            "PRAGMA legacy_alter_table = OFF",
        ]
    }

    /// Lets references that followed an old table lead to the one that has its objects.
    ///
    /// SQLite changes a reference when the table that it leads to gets another name. So the new table takes the old one's
    /// name for a moment, and what leads there goes with it when it gets its own again.
    func redirectReferences() -> [MigrationStatement] {
        var statements: [MigrationStatement] = []
        for table in oldTables {
            let references = references(to: table.name)
            guard !references.isEmpty, let plan = successor(of: table.root) else { continue }
            statements += renamingAlone(plan.table.name, table.moved)
            statements.append("ALTER TABLE \(table.moved) RENAME TO \(SQLName.quoted(plan.table.name))")
            let highest = source.highestKeys[table.root] ?? 0
            guard let offset = offsets.offset(from: table.root, into: plan.root.number), offset > 0 else { continue }
            for reference in references where reference.leadsToKeys {
                guard let holder = holder(of: reference) else { continue }
                let (name, column) = (SQLName.alwaysQuoted(holder), SQLName.alwaysQuoted(reference.column))
                let number = "CAST(\(column) AS INTEGER)"
                // What no object can have as its key stays: a number for none, or a word.
                let keys = "\(column) = \(number) AND \(number) BETWEEN 1 AND \(highest)"
                let moved = "\(column) = \(number) AND \(number) BETWEEN \(-highest - offset) AND \(-1 - offset)"
                // By way of numbers that no object has: the keys may have to be unique at any time.
                statements.append("UPDATE \(name) SET \(column) = -\(column) - \(offset) WHERE \(keys)")
                statements.append("UPDATE \(name) SET \(column) = -\(column) WHERE \(moved)")
            }
        }
        return statements
    }
}
