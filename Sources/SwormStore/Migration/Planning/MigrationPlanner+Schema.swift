import Foundation

extension MigrationPlanner {
    // MARK: Indexes

    var newIndexes: [SchemaIndex] { StoreSchema(model: map.destination, layout: layout).indexes() }

    /// The names of the indexes that can be retained: they have the same SQL, on a table whose names all remain the
    /// same.
    private var lastingIndexes: Set<String> {
        let texts = Dictionary(
            source.objects.filter { $0.kind == .index }.map { ($0.name, $0.sql) },
            uniquingKeysWith: { first, _ in first })
        let calm = Set(tables.filter { $0.keepsNames && !$0.hasFills }.map(\.table.name))
        let named = Set(tables.filter(\.keepsNames).map(\.table.name) + joins.filter(\.keepsNames).map(\.join.table))
        return Set(
            newIndexes.filter { index in
                texts[index.name] == index.sql
                    && (index.constraint == nil ? named : calm).contains(index.table)
            }.map(\.name))
    }

    var indexesToMake: [SchemaIndex] {
        let lasting = lastingIndexes
        return newIndexes.filter { !lasting.contains($0.name) }
    }

    /// Removes the indexes of tables that are retained. Those of the other tables are dropped with their tables.
    func removeIndexes() -> [MigrationStatement] {
        let lasting = lastingIndexes
        let staying = Set(tables.compactMap(\.kept) + joins.compactMap(\.kept?.table))
        return source.objects.filter {
            $0.kind == .index && $0.sql != nil && staying.contains($0.table) && isOwn($0) && !lasting.contains($0.name)
        }.map { MigrationStatement("DROP INDEX \(SQLName.alwaysQuoted($0.name))") }
    }

    /// Returns whether an index is Core Data's own: an index of a model, or one whose name follows Core Data's present
    /// or former naming schemes.
    func isOwn(_ index: SchemaObject) -> Bool {
        if isOfModel(index) { return true }
        let name = index.name
        if name.hasPrefix("Z"), name == SQLName.uppercased(name) {
            return name.hasSuffix("_INDEX") || name.hasPrefix(index.table + "_Z")
        }
        return map.source.entities.contains { name.hasPrefix("Z_\($0.name)_") }
    }

    /// Returns whether the old model or the new one requires an index of that name.
    private func isOfModel(_ index: SchemaObject) -> Bool { modelIndexes.contains(index.name.uppercased()) }

    // MARK: Triggers and views

    /// Removes triggers and views: they would fire while rows are moved, and refer to names that change. Dropping a
    /// view drops its triggers, so the triggers are dropped first.
    func removeTriggers() -> [MigrationStatement] {
        source.objects.filter { $0.kind == .trigger }.map {
            MigrationStatement("DROP TRIGGER \(SQLName.alwaysQuoted($0.name))")
        }
            + source.objects.filter { $0.kind == .view }.map {
                MigrationStatement("DROP VIEW \(SQLName.alwaysQuoted($0.name))")
            }
    }

    /// The objects that neither the old model nor the new one requires, and that must be recreated to be retained.
    var foreignObjects: [SchemaObject] {
        let gone = goneTables
        let trees = goingTrees
        return source.objects.filter { object in
            switch object.kind {
            case .trigger: !object.name.hasPrefix("Z_DA_") && !trees.contains { $0.isKept(by: object) }
            case .view: true
            case .index: object.sql != nil && gone.contains(object.table) && !isOwn(object)
            case .table: false
            }
        }.map(moved)
    }

    /// The tables that are dropped, whether another one replaces them or not.
    private var goneTables: Set<String> {
        Set(oldTables.map(\.name)).union(oldJoins).subtracting(joins.compactMap(\.kept?.table))
    }

    /// Returns the index of a replaced table, adapted to the table that now has its objects.
    private func moved(_ object: SchemaObject) -> SchemaObject {
        guard object.kind == .index, let sql = object.sql,
            let root = oldTables.first(where: { $0.name == object.table })?.root,
            let name = successor(of: root)?.table.name, name != object.table,
            let end = Self.endOfName(in: sql, object.name), let columns = sql[end...].firstIndex(of: "(")
        else { return object }
        var object = object
        object.sql = sql[..<end] + " ON \(SQLName.quoted(name)) " + sql[columns...]
        return object
    }

    /// Returns the index at which the name ends in the SQL of an index; nil if it cannot be determined. A name may
    /// contain any character.
    private static func endOfName(in sql: String, _ name: String) -> String.Index? {
        // SQLite itself writes everything before the name, and keeps the name as it was spelled.
        for start in ["CREATE INDEX ", "CREATE UNIQUE INDEX "] where sql.hasPrefix(start) {
            let rest = sql.dropFirst(start.count)
            let spellings = [SQLName.alwaysQuoted(name), "[\(name)]", "`\(name)`", "'\(name)'", name]
            return spellings.first { rest.hasPrefix($0) }.map { rest.index(rest.startIndex, offsetBy: $0.count) }
        }
        return nil
    }

    /// Notes about third-party objects that cannot be retained, which is no reason to reject the migration.
    var foreignNotes: [String] {
        var notes = tables.flatMap(\.carried.notes)
        notes += tables.flatMap(\.carried.clashes).map { table, column in
            "The column '\(column.name)' of the table '\(table)', which is not part of the model and has no values, was dropped: the new model needs its name."
        }
        notes += foreignJoinColumns.map { table, column in
            "The column '\(column.name)' of the table '\(table)', which is not part of the model, was dropped with \(column.values == 1 ? "1 value" : "\(column.values) values"): the table is recreated from links."
        }
        let known = Set(oldTableNames)
        notes += source.objects.filter {
            $0.kind == .index && $0.sql != nil && known.contains($0.table) && isOwn($0) && !isLikeOwn($0)
        }.map {
            "The index '\($0.name)' was dropped: it is in neither model."
        }
        return notes
    }

    /// The third-party columns in join tables that are not retained.
    var foreignJoinColumns: [(table: String, column: UnmanagedColumn)] {
        let kept = Set(joins.compactMap(\.kept?.table))
        return oldJoins.filter { !kept.contains($0) }.flatMap { table in
            (source.foreignColumns[table] ?? []).map { (table, $0) }
        }
    }

    /// Returns whether only Core Data can have created an index that is its own.
    private func isLikeOwn(_ index: SchemaObject) -> Bool {
        isOfModel(index) || index.name == SQLName.uppercased(index.name)
    }

    // MARK: Tables and columns

    /// Moves replaced tables out of the way, renames the retained tables and their columns, and creates new ones.
    func rearrange() -> [MigrationStatement] {
        var statements: [MigrationStatement] = []
        for table in oldTables {
            // References to the table are renamed with it, and later redirected to its successor, if there is one.
            statements +=
                references(to: table.name).isEmpty || successor(of: table.root) != nil
                ? [MigrationStatement("ALTER TABLE \(SQLName.quoted(table.name)) RENAME TO \(table.moved)")]
                : renamingAlone(table.name, to: table.moved)
        }
        let keptJoins = Set(joins.compactMap(\.kept?.table))
        // The content of the join tables that is not retained has already been gathered.
        for join in oldJoins where !keptJoins.contains(join) {
            statements.append("DROP TABLE \(SQLName.quoted(join))")
        }
        let moves =
            tables.compactMap { table in table.kept.map { (from: $0, to: table.table.name) } }
            + joins.compactMap { join in join.kept.map { (from: $0.table, to: join.join.table) } }
        statements += Self.renaming(moves.filter { $0.from != $0.to }) {
            "ALTER TABLE \(SQLName.quoted($0)) RENAME TO \(SQLName.quoted($1))"
        }
        for table in tables where table.kept != nil {
            let name = SQLName.quoted(table.table.name)
            statements += Self.renaming(table.renames) {
                "ALTER TABLE \(name) RENAME COLUMN \(SQLName.quoted($0)) TO \(SQLName.quoted($1))"
            }
            statements += table.additions.map {
                "ALTER TABLE \(name) ADD COLUMN \(SQLName.quoted($0.name)) \($0.declaredType)"
            }
        }
        for join in joins where join.kept != nil {
            let name = SQLName.quoted(join.join.table)
            statements += Self.renaming(join.renames) {
                "ALTER TABLE \(name) RENAME COLUMN \(SQLName.quoted($0)) TO \(SQLName.quoted($1))"
            }
        }
        statements += tables.filter { $0.kept == nil }.map { $0.carried.statement(for: $0.table) }
        statements += joins.filter { $0.kept == nil }.map { MigrationStatement(StoreSchema.statement(for: $0.join)) }
        return statements
    }

    /// Returns statements that rename objects. The renames may form a cycle, so if a new name is still in use, all of
    /// them go through temporary names.
    private static func renaming(
        _ moves: [(from: String, to: String)], _ statement: (String, String) -> String
    ) -> [MigrationStatement] {
        guard !Set(moves.map(\.from)).isDisjoint(with: moves.map(\.to)) else {
            return moves.map { MigrationStatement(statement($0.from, $0.to)) }
        }
        return moves.enumerated().map { MigrationStatement(statement($1.from, "SwormMoved_\($0)")) }
            + moves.enumerated().map { MigrationStatement(statement("SwormMoved_\($0)", $1.to)) }
    }
}
