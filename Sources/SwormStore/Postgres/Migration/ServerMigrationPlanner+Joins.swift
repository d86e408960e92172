#if PostgreSQL
import SwormPredicates

// Join tables, and tables that only the old version has.
extension ServerMigrationPlanner {
    /// Adds the order columns that join tables lack.
    func changeJoins(_ plan: inout ServerMigrationPlan) {
        for table in new.tables.tables where !table.key.isEmpty {
            guard let before = old.tables.tables.first(where: { $0.name == table.name }) else { continue }
            let known = Set(before.columns.map(\.name))
            var actions: [String] = []
            for column in table.columns where !known.contains(column.name) {
                actions.append("ADD COLUMN IF NOT EXISTS \(column.declaration)")
            }
            guard !actions.isEmpty else { continue }
            plan.statements.append("\(table.alteration(in: prefix)) \(actions.joined(separator: ", "))")
        }
    }

    /// Keeps the tables that the new version does not have, so that the rows to which they refer can be deleted.
    func leaveTables(_ plan: inout ServerMigrationPlan) {
        let lasting = Set(new.tables.tables.map(\.name))
        let homes = Set(homes.values.compactMap { old.layout.tables[$0]?.name })
        for table in old.tables.tables where !lasting.contains(table.name) && !homes.contains(table.name) {
            plan.leftovers.tables.append(table.name)
            guard table.key.isEmpty else { continue }
            let actions = table.columns.flatMap { release($0, named: $0.name, in: table) }
            guard !actions.isEmpty else { continue }
            plan.statements.append("\(table.alteration(in: prefix)) \(actions.joined(separator: ", "))")
        }
    }

    // MARK: Removed rows

    /// Returns the statements that delete the rows of entities that the new version does not have, in tables that it has.
    func removals() -> [String] {
        let kept = Set(map.pairs.map(\.source.number))
        var statements: [String] = []
        for (_, home) in homes.sorted(by: { $0.key < $1.key }) {
            let root = old.model[home]
            let removed = root.family.filter { !old.model[$0].isAbstract && !kept.contains($0) }
            guard root.hasDescendants, !removed.isEmpty, let table = old.layout.tables[home]?.name else { continue }
            let numbers = removed.map { String(old.layout.storedNumber(of: $0)) }.joined(separator: ", ")
            let name = "\(prefix)\(SQLName.alwaysQuoted(table))"
            let condition = "\(SystemColumns.postgres.entity) IN (\(numbers))"
            let keys = "SELECT \(SystemColumns.postgres.key) FROM \(name) WHERE \(condition)"
            for (source, column) in references(to: home) {
                let column = SQLName.alwaysQuoted(column)
                statements.append(
                    "UPDATE \(prefix)\(SQLName.alwaysQuoted(source)) SET \(column) = NULL WHERE \(column) IN (\(keys))")
            }
            statements.append("DELETE FROM \(name) WHERE \(condition)")
        }
        return statements
    }

    /// Returns the tables and columns of the old version that have keys of the rows of a table.
    private func references(to root: Int) -> [(table: String, column: String)] {
        old.model.entities.filter { $0.root == $0.number }.flatMap { entity -> [(table: String, column: String)] in
            guard let table = old.layout.tables[entity.number]?.name else { return [] }
            return old.layout.uses(of: entity, in: old.model).compactMap { use in
                switch use.role {
                case .key(let slot):
                    let destination = old.model[use.entity].relationships[slot].destination
                    return old.model[destination].root == root ? (table, use.column) : nil
                case .ownerKey(let place): return old.model[place.entity].root == root ? (table, use.column) : nil
                case .attribute, .entity, .order, .ownerOrder: return nil
                }
            }
        }
    }
}
#endif
