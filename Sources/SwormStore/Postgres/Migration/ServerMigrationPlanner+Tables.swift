#if PostgreSQL
import SwormPredicates

// The tables of entities.
extension ServerMigrationPlanner {
    func target(_ table: String) -> String { "\(prefix)\(SQLName.alwaysQuoted(table))" }

    /// Returns the number in the store of an entity of the new version.
    func number(of entity: CompiledEntity) -> Int { new.names.numbers[entity.name] ?? entity.number }

    func numbers(_ entities: [Int]?) -> [Int]? {
        entities.map { $0.map { number(of: map.destination[$0]) }.sorted() }
    }

    /// Returns the table of a root of the new version as it was before the migration; nil for a new table.
    func oldTable(of root: Int) -> ServerTable? {
        guard let home = homes[root], let name = old.layout.tables[home]?.name else { return nil }
        return old.tables.tables.first { $0.name == name }
    }

    // MARK: Rows

    /// Rejects rows that one of the versions does not know in a table that both use.
    func refuseUnknownRows(_ plan: inout ServerMigrationPlan) {
        guard form == .additive else { return }
        let (sources, destinations) = (Set(map.pairs.map(\.source.number)), Set(map.pairs.map(\.destination.number)))
        for entity in map.source.entities
        where !entity.isAbstract && !sources.contains(entity.number) && homes.values.contains(entity.root) {
            plan.obstacles.append(
                .init(
                    "the new version does not know its rows, which are in the table of other entities",
                    entity: entity.name))
        }
        for entity in map.destination.entities
        where !entity.isAbstract && !destinations.contains(entity.number) && homes[entity.root] != nil {
            plan.obstacles.append(
                .init(
                    "older versions do not know its rows, which would be in the table of other entities",
                    entity: entity.name))
        }
    }

    // MARK: New tables

    func createTables(_ plan: inout ServerMigrationPlan) {
        let present = Set(old.tables.tables.map { renamed($0.name) })
        let tables = new.tables.tables.filter { !present.contains($0.name) }
        plan.statements += tables.flatMap { $0.definition(in: prefix) }
        // A foreign key may refer to a later table.
        plan.statements += tables.compactMap { table in
            let keys = table.columns.compactMap { table.foreignKey(of: $0, in: prefix) }
            return keys.isEmpty ? nil : "\(table.alteration(in: prefix)) \(keys.joined(separator: ", "))"
        }
    }

    // MARK: Present tables

    func change(_ root: CompiledEntity, _ plan: inout ServerMigrationPlan) {
        guard let before = oldTable(of: root.number), let name = new.layout.tables[root.number]?.name,
            let table = new.tables.tables.first(where: { $0.name == name })
        else { return }
        var edit = TableChange(table, before: before, root: root, sync: plan.syncs.first { $0.table == name })
        let planned = Dictionary(
            columns.filter { $0.root == root.number }.map { ($0.use.column, $0) },
            uniquingKeysWith: { first, _ in first })
        for column in table.columns {
            guard let present = presentColumn(column.name, planned: planned[column.name], in: before) else {
                add(column, planned: planned[column.name], change: &edit, plan: &plan)
                continue
            }
            change(present, to: column, planned: planned[column.name], in: &edit, plan: &plan)
        }
        changeDefaults(planned, change: &edit, plan: &plan)
        leave(before, in: &edit, plan: &plan)
        if !edit.actions.isEmpty {
            plan.statements.append("\(table.alteration(in: prefix)) \(edit.actions.joined(separator: ", "))")
        }
        plan.syncs.removeAll { $0.table == name }
        if !edit.sync.isEmpty, form == .additive { plan.syncs.append(edit.sync) }
    }

    /// Returns a column as it was before the migration; nil for a new one.
    func presentColumn(
        _ name: String, planned: PlannedColumn?, in table: ServerTable
    ) -> ServerTable.Column? {
        let old = planned.map { $0.origin.column } ?? name
        return old.flatMap { old in table.columns.first { $0.name == old } }
    }

    /// The changes of one table.
    struct TableChange {
        let table: ServerTable
        let before: ServerTable
        let root: CompiledEntity
        var actions: [String] = []
        /// The columns that are added.
        var added: Set<String> = []
        /// The columns that a trigger of an earlier migration fills.
        let filledBefore: Set<String>
        var sync: ServerSync

        init(_ table: ServerTable, before: ServerTable, root: CompiledEntity, sync: ServerSync?) {
            self.table = table
            self.before = before
            self.root = root
            self.sync = sync ?? ServerSync(table: table.name)
            filledBefore = Set(self.sync.groups.flatMap(\.columns))
        }

        mutating func alter(_ column: String, action: String) {
            actions.append("ALTER COLUMN \(SQLName.alwaysQuoted(column)) \(action)")
        }

        /// Allows NULL in a column, and in those that a trigger keeps equal to it.
        mutating func allowNull(in column: String) {
            let equal = sync.groups.filter { $0.columns.contains(column) }.flatMap(\.columns)
            for name in [column] + equal.filter({ $0 != column && !added.contains($0) }) {
                alter(name, action: "DROP NOT NULL")
            }
        }
    }

    // MARK: Columns

    private func add(
        _ column: ServerTable.Column, planned: PlannedColumn?, change: inout TableChange,
        plan: inout ServerMigrationPlan
    ) {
        var column = column
        if column.name == SystemColumns.postgresName.entity {
            column.defaultValue = String(onlyNumber(in: change.before))
        } else if let planned, !planned.sources.isEmpty {
            // A trigger fills the column until older versions are no longer served.
            if let value = column.defaultValue, form == .additive {
                plan.leftovers.defaults.append(.init(table: change.table.name, column: column.name, value: value))
            }
            let isRequired = column.isRequired
            if form == .additive { column.defaultValue = nil }
            column.isRequired = false
            if isRequired { plan.work.append(ServerWork(.required(table: change.table.name, column: column.name))) }
        } else if let planned {
            if planned.witnesses.isEmpty, let value = defaultValue(of: planned) { column.defaultValue = value }
            if column.defaultValue == nil { column.isRequired = false }
            refuseMissingDefault(planned, column: column, plan: &plan)
        }
        if column.name == SystemColumns.postgresName.entity {
            // An older version can have left it, with the number of the rows that there are and another default value.
            change.actions.append("ADD COLUMN IF NOT EXISTS \(column.declaration)")
            if let value = column.defaultValue { change.alter(column.name, action: "SET DEFAULT \(value)") }
        } else {
            change.actions.append("ADD COLUMN \(column.declaration)")
        }
        change.added.insert(column.name)
        if column.isExternal { change.alter(column.name, action: "SET STORAGE EXTERNAL") }
        if let key = change.table.foreignKey(of: column, in: prefix), let target = column.reference {
            let name = change.table.foreignKeyName(of: column)
            change.actions.append("\(key) NOT VALID")
            plan.work.append(
                ServerWork(
                    .reference(table: change.table.name, constraint: name, column: column.name, target: target)))
        }
        if let planned { transfer(planned, change: &change, plan: &plan) }
    }

    /// Fills a column from further columns, and from its default value, and keeps it equal to them.
    private func transfer(
        _ planned: PlannedColumn, change: inout TableChange, plan: inout ServerMigrationPlan
    ) {
        let name = planned.use.column
        let own = SQLName.alwaysQuoted(name)
        for source in planned.sources {
            let column = renamedColumn(source.column, in: change.before)
            let other = SQLName.alwaysQuoted(column)
            let entities = numbers(source.entities)
            change.sync.add(ServerSync.Group(columns: [name, column], entities: entities))
            plan.fills.append(
                ServerFill(
                    table: change.table.name, assignments: "\(own) = \(other)",
                    condition: "\(own) IS DISTINCT FROM \(other)\(test(entities))"))
            guard form == .additive, let before = change.before.columns.first(where: { $0.name == source.column })
            else { continue }
            guard let column = change.table.columns.first(where: { $0.name == name }),
                column.catalogType != before.catalogType
            else { continue }
            plan.obstacles.append(
                obstacle(
                    planned,
                    because: "its values would have to be converted from \(before.catalogType) to \(column.catalogType)"
                ))
        }
        // No row has the column of an entity whose sub-entities are all abstract.
        guard planned.needsValues, !planned.mayLackValues || familyNumbers(of: planned) != [] else { return }
        guard let value = defaultValue(of: planned) else {
            return plan.obstacles.append(obstacle(planned, because: "its default value cannot be written as SQL"))
        }
        let entities = planned.mayLackValues ? nil : numbers(planned.emptyEntities)
        var condition = "\(own) IS NULL\(test(entities))"
        if planned.mayLackValues, let family = familyNumbers(of: planned) { condition += test(family) }
        if !planned.witnesses.isEmpty {
            let tests = planned.witnesses.map { renamedColumn($0, in: change.before) }
                .map { "\(SQLName.alwaysQuoted($0)) IS NOT NULL" }
            condition += " AND (\(tests.joined(separator: " OR ")))"
        }
        plan.fills.append(
            ServerFill(table: change.table.name, assignments: "\(own) = \(value)", condition: condition))
        guard isRequired(planned) else { return }
        let family = planned.mayLackValues ? familyNumbers(of: planned) : entities
        change.sync.add(ServerSync.Fill(column: name, value: value, entities: family))
    }

    private func test(_ entities: [Int]?) -> String {
        guard let entities else { return "" }
        let list = entities.map(String.init).joined(separator: ", ")
        return " AND \(SystemColumns.postgres.entity) IN (\(list))"
    }

    /// Returns the numbers of the entities that have a column; nil if all rows of the table have it.
    private func familyNumbers(of planned: PlannedColumn) -> [Int]? {
        let entity = map.destination[planned.use.entity]
        guard entity.root != entity.number else { return nil }
        return entity.family.filter { !map.destination[$0].isAbstract }.map { number(of: map.destination[$0]) }.sorted()
    }

    private func change(
        _ present: ServerTable.Column, to column: ServerTable.Column, planned: PlannedColumn?,
        in change: inout TableChange, plan: inout ServerMigrationPlan
    ) {
        let name = column.name
        if present.catalogType != column.catalogType, let planned {
            if form == .additive {
                plan.obstacles.append(
                    obstacle(
                        planned,
                        because:
                            "its values would have to be converted from \(present.catalogType) to \(column.catalogType)"
                    ))
            }
            let type = column.catalogType + (column.hasCollation ? " COLLATE \"C\"" : "")
            change.alter(name, action: "TYPE \(type) USING \(SQLName.alwaysQuoted(name))::\(column.catalogType)")
        }
        if present.isRequired, !column.isRequired { change.allowNull(in: name) }
        if present.isExternal != column.isExternal {
            change.alter(name, action: "SET STORAGE \(column.isExternal ? "EXTERNAL" : "EXTENDED")")
        }
        changeReference(of: present, to: column, change: &change, plan: &plan)
        guard let planned else { return }
        transfer(planned, change: &change, plan: &plan)
        // A column that was required but for a unique index stays without the declaration: older versions may clear it.
        if column.isRequired, !present.isRequired, planned.mayLackValues {
            plan.work.append(ServerWork(.required(table: change.table.name, column: name)))
        }
    }

    private func changeReference(
        of present: ServerTable.Column, to column: ServerTable.Column, change: inout TableChange,
        plan: inout ServerMigrationPlan
    ) {
        let former = present.reference.map(renamed)
        guard former != column.reference else { return }
        let name = SQLName.alwaysQuoted(change.before.foreignKeyName(of: present))
        if present.reference != nil, column.reference == nil {
            return change.actions += release(present, named: column.name, in: change.before)
        }
        if present.reference != nil { change.actions.append("DROP CONSTRAINT IF EXISTS \(name)") }
        guard let key = change.table.foreignKey(of: column, in: prefix), let target = column.reference else { return }
        change.actions.append("\(key) NOT VALID")
        plan.work.append(
            ServerWork(
                .reference(
                    table: change.table.name, constraint: change.table.foreignKeyName(of: column), column: column.name,
                    target: target)))
    }
}

extension ServerTable {
    /// Returns the statements that create the table, without its foreign keys.
    ///
    /// - Parameter prefix: The schema with a period.
    func definition(in prefix: String) -> [String] {
        let external = columns.filter(\.isExternal).map {
            "ALTER COLUMN \(SQLName.alwaysQuoted($0.name)) SET STORAGE EXTERNAL"
        }
        return [creation(in: prefix)]
            + (external.isEmpty ? [] : ["\(alteration(in: prefix)) \(external.joined(separator: ", "))"])
    }
}

extension SystemColumns {
    /// The names without quotes.
    static let postgresName = (key: "_key", entity: "_entity", version: "_version")
}
#endif
