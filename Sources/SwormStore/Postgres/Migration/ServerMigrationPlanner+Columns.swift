#if PostgreSQL
import SwormPredicates

// The properties of columns.
extension ServerMigrationPlanner {
    /// Returns the attribute that a column stores; nil for any other column.
    private func attribute(of planned: PlannedColumn) -> CompiledAttribute? {
        guard case .attribute(let slot) = planned.use.role else { return nil }
        return map.destination[planned.use.entity].attributes[slot]
    }

    /// Returns the default value of a column as SQL text; nil for none, and for a value that SQL text cannot have.
    func defaultValue(of planned: PlannedColumn) -> String? {
        guard case .attribute(let slot) = planned.use.role, let attribute = attribute(of: planned),
            attribute.derivation == nil
        else { return nil }
        return ServerLiteral.text(
            attribute.defaultValue, as: attribute.type,
            storesSeconds: new.layout.storesSeconds(slot, of: attribute.owner))
    }

    /// Returns whether a trigger may fill a column, because no program ever clears it.
    func isRequired(_ planned: PlannedColumn) -> Bool {
        guard let attribute = attribute(of: planned), !attribute.isOptional, attribute.derivation == nil else {
            return false
        }
        // A row gives up a unique value before another one takes it.
        let family = map.destination[map.destination[planned.use.entity].root].family
        return !family.contains { number in
            map.destination[number].uniquenessConstraints.contains { $0.contains(attribute.name) }
        }
    }

    func obstacle(_ planned: PlannedColumn, because reason: String) -> ServerMigrationPlan.Obstacle {
        let entity = map.destination[planned.use.entity]
        let property: String? =
            switch planned.use.role {
            case .attribute(let slot): entity.attributes[slot].name
            case .key(let slot), .entity(let slot), .order(let slot): entity.relationships[slot].name
            case .ownerKey(let place), .ownerOrder(let place): feeds.relationship(place).name
            }
        return .init(reason, entity: entity.name, property: property)
    }

    /// Rejects a new attribute whose default value the present rows cannot get.
    func refuseMissingDefault(
        _ planned: PlannedColumn, column: ServerTable.Column, plan: inout ServerMigrationPlan
    ) {
        guard let attribute = attribute(of: planned), attribute.derivation == nil, attribute.defaultValue != .null,
            planned.witnesses.isEmpty, column.defaultValue == nil
        else { return }
        plan.obstacles.append(obstacle(planned, because: "its default value cannot be written as SQL"))
    }

    /// Returns the number of the only entity whose rows a table has.
    func onlyNumber(in table: ServerTable) -> Int {
        guard let home = old.model.entities.first(where: { old.layout.tables[$0.number]?.name == table.name }) else {
            return 0
        }
        return map.destination(of: home.number).map { number(of: map.destination[$0]) }
            ?? old.names.numbers[home.name] ?? home.number
    }

    // MARK: Renaming

    /// Returns the name that a table has after the migration.
    func renamed(_ table: String) -> String { tableRenames[table] ?? table }

    /// The tables that get other names.
    private var tableRenames: [String: String] {
        guard form == .complete else { return [:] }
        var result: [String: String] = [:]
        for (root, home) in homes {
            guard let former = old.layout.tables[home]?.name, let name = new.layout.tables[root]?.name, former != name
            else { continue }
            result[former] = name
        }
        return result
    }

    /// Returns the name that a column of a table has after the migration.
    ///
    /// - Parameter table: The table with the name that it had before.
    func renamedColumn(_ column: String, in table: ServerTable) -> String {
        columns.first { planned in
            planned.origin == .renamed(column)
                && homes[planned.root].flatMap { old.layout.tables[$0]?.name } == table.name
        }?.use.column ?? column
    }

    /// Returns the statements that rename tables, columns and foreign keys, and adapts what is kept about them.
    func renames(_ plan: inout ServerMigrationPlan) -> [String] {
        var statements: [String] = []
        let renames = tableRenames
        func rename(_ table: String, change: String) {
            statements.append("ALTER TABLE \(prefix)\(SQLName.alwaysQuoted(table)) RENAME \(change)")
        }
        let tables = renames.sorted { $0.key < $1.key }.map { (from: $0.key, to: $0.value) }
        for (from, to) in Self.steps(tables) { rename(from, change: "TO \(SQLName.alwaysQuoted(to))") }
        for root in homes.keys.sorted() {
            guard let before = oldTable(of: root) else { continue }
            let name = renamed(before.name)
            let pairs = columns.filter { $0.root == root }.compactMap { planned -> (from: String, to: String)? in
                guard case .renamed(let former) = planned.origin, former != planned.use.column else { return nil }
                return (from: former, to: planned.use.column)
            }
            for (from, to) in Self.steps(pairs) {
                rename(name, change: "COLUMN \(SQLName.alwaysQuoted(from)) TO \(SQLName.alwaysQuoted(to))")
            }
            guard let after = new.tables.tables.first(where: { $0.name == name }) else { continue }
            for column in before.columns where column.reference != nil {
                let former = before.foreignKeyName(of: column)
                let current = renamedColumn(column.name, in: before)
                guard let new = after.columns.first(where: { $0.name == current }),
                    case let name = after.foreignKeyName(of: new), former != name, new.reference != nil
                else { continue }
                rename(
                    after.name, change: "CONSTRAINT \(SQLName.alwaysQuoted(former)) TO \(SQLName.alwaysQuoted(name))")
            }
        }
        // The triggers that filled these columns are removed.
        for item in plan.leftovers.defaults {
            guard let before = old.tables.tables.first(where: { $0.name == item.table }),
                case let name = renamedColumn(item.column, in: before),
                let table = new.tables.tables.first(where: { $0.name == renamed(item.table) }),
                table.columns.contains(where: { $0.name == name })
            else { continue }
            statements.append(
                "\(table.alteration(in: prefix)) ALTER COLUMN \(SQLName.alwaysQuoted(name)) SET DEFAULT \(item.value)")
        }
        plan.leftovers.defaults = []
        for index in plan.leftovers.columns.indices {
            plan.leftovers.columns[index].table = renamed(plan.leftovers.columns[index].table)
        }
        return statements
    }

    /// Returns renamings in an order in which no name is given while something else still has it.
    static func steps(_ pairs: [(from: String, to: String)]) -> [(from: String, to: String)] {
        let former = Set(pairs.map(\.from))
        var first: [(from: String, to: String)] = []
        var second: [(from: String, to: String)] = []
        for (number, pair) in pairs.enumerated() {
            guard former.contains(pair.to) else {
                second.append(pair)
                continue
            }
            let temporary = "_sworm_renamed_\(number)"
            first.append((from: pair.from, to: temporary))
            second.append((from: temporary, to: pair.to))
        }
        return first + second
    }
}
#endif
