#if PostgreSQL
import SwormPredicates

// Columns that only older versions have.
extension ServerMigrationPlanner {
    /// Returns the actions after which the rows that a column refers to can be deleted by programs that do not know the column.
    func release(_ column: ServerTable.Column, named name: String, in table: ServerTable) -> [String] {
        guard let reference = column.reference else { return [] }
        let constraint = SQLName.alwaysQuoted(table.foreignKeyName(of: column))
        let key =
            "FOREIGN KEY (\(SQLName.alwaysQuoted(name))) REFERENCES \(target(renamed(reference))) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED NOT VALID"
        return ["DROP CONSTRAINT IF EXISTS \(constraint)", "ADD CONSTRAINT \(constraint) \(key)"]
    }

    /// Returns the statements after which the columns that triggers have filled so far may be empty.
    func releases(of syncs: [ServerSync]) -> [String] {
        syncs.compactMap { sync in
            let left = Set(state.leftovers.columns.filter { $0.table == sync.table }.map(\.name))
            let actions = sync.columns.intersection(left).sorted().map {
                "ALTER COLUMN \(SQLName.alwaysQuoted($0)) DROP NOT NULL"
            }
            return actions.isEmpty ? nil : "ALTER TABLE \(target(sync.table)) \(actions.joined(separator: ", "))"
        }
    }

    /// Keeps the columns that the new version does not have, so that rows can be inserted without them.
    func leave(_ before: ServerTable, in change: inout TableChange, plan: inout ServerMigrationPlan) {
        let planned = columns.filter { $0.root == change.root.number }
        let lasting = Set(planned.compactMap(\.origin.column))
        let merged = Dictionary(
            planned.flatMap { column in column.sources.map { ($0.column, column) } },
            uniquingKeysWith: { first, _ in first })
        let uniqueColumns = Set(
            old.tables.indexes.filter { $0.isUnique && $0.table == before.name }.flatMap(\.columns).map(\.name))
        for column in before.columns
        where !lasting.contains(column.name) && !PostgresNames.ownColumns.contains(column.name) {
            let isFilled = form == .additive && merged[column.name].map(isRequired) ?? false
            if column.isRequired, !isFilled { change.allowNull(in: column.name) }
            if merged[column.name] == nil {
                // Several rows with the default value would not be unique.
                if column.defaultValue != nil, uniqueColumns.contains(column.name) {
                    change.alter(column.name, action: "DROP DEFAULT")
                }
                change.actions += release(column, named: column.name, in: before)
            } else if form == .complete {
                change.actions += release(column, named: column.name, in: before)
            }
            plan.leftovers.columns.append(.init(table: change.table.name, name: column.name))
        }
        // Rows of a table that has lost its other entities are those of the only one that is left.
        let entity = SystemColumns.postgresName.entity
        if before.columns.contains(where: { $0.name == entity }),
            !change.table.columns.contains(where: { $0.name == entity })
        {
            change.alter(entity, action: "SET DEFAULT \(number(of: change.root))")
        }
    }
}
#endif
