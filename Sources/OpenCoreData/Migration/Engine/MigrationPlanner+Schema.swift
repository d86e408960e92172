extension MigrationPlanner {
    // MARK: Indexes

    private var newIndexes: [SchemaIndex] { StoreSchema(model: map.destination, layout: layout).indexes() }

    /// The names of the indexes that can stay: of the same text, on a table that has all its names from before.
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

    /// Removes the indexes of tables that stay. Those of the others go with their tables.
    func removeIndexes() -> [MigrationStatement] {
        let lasting = lastingIndexes
        let staying = Set(tables.compactMap(\.kept) + joins.compactMap(\.kept?.table))
        return source.objects.filter {
            $0.kind == .index && $0.sql != nil && staying.contains($0.table) && $0.name.hasPrefix("Z")
                && !lasting.contains($0.name)
        }.map { MigrationStatement("DROP INDEX \(Self.quoted($0.name))") }
    }

    // MARK: Triggers and views

    /// Removes triggers and views: they would fire while rows are moved, and hold on to names that change. A view takes its
    /// triggers along, so they go before.
    func removeTriggers() -> [MigrationStatement] {
        source.objects.filter { $0.kind == .trigger }.map { MigrationStatement("DROP TRIGGER \(Self.quoted($0.name))") }
            + source.objects.filter { $0.kind == .view }.map { MigrationStatement("DROP VIEW \(Self.quoted($0.name))") }
    }

    /// What neither the old model nor the new one asks for, and what must be made again to be there.
    var foreignObjects: [SchemaObject] {
        let gone = Set(oldTables.map(\.name))
        return source.objects.filter { object in
            switch object.kind {
            case .trigger: !object.name.hasPrefix("Z_DA_")
            case .view: true
            case .index: object.sql != nil && !object.name.hasPrefix("Z") && gone.contains(object.table)
            case .table: false
            }
        }
    }

    /// A name in quotes, whatever it is: others' names may be words of SQL.
    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    // MARK: Tables and columns

    /// Moves what goes out of the way, gives what stays its names and columns, and makes what is new.
    func rearrange() -> [MigrationStatement] {
        var statements: [MigrationStatement] = []
        for table in oldTables {
            statements.append("ALTER TABLE \(SQLName.quoted(table.name)) RENAME TO \(table.moved)")
        }
        let keptJoins = Set(joins.compactMap(\.kept?.table))
        // What was in them and does not stay has been gathered.
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
        statements += tables.filter { $0.kept == nil }.map { MigrationStatement(StoreSchema.statement(for: $0.table)) }
        statements += joins.filter { $0.kept == nil }.map { MigrationStatement(StoreSchema.statement(for: $0.join)) }
        return statements
    }

    /// Names may go round in a circle, so where one is taken still, all go by way of others.
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
