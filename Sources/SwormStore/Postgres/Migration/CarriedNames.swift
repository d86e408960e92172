#if PostgreSQL
/// The names of a store after a migration, as far as they follow from those before it.
///
/// Everything that both versions have keeps its name in the tables. The names that are not given here are given by the
/// layout of the new version.
struct CarriedNames {
    let map: MigrationMap
    /// The names and the layout of the old version.
    let old: (names: PostgresNames, layout: StoreLayout)
    private(set) var names = PostgresNames()
    /// The roots of the old version whose tables are those of the roots of the new version.
    private(set) var homes: [Int: Int] = [:]
    private(set) var obstacles: [ServerMigrationPlan.Obstacle] = []

    /// - Parameter renamesTables: Whether tables get the names of their entities.
    init(_ map: MigrationMap, old: (names: PostgresNames, layout: StoreLayout), renamesTables: Bool) {
        self.map = map
        self.old = old
        numberEntities()
        findHomes(renamesTables: renamesTables)
        nameJoins()
        reserveTables()
    }

    private mutating func refuse(_ reason: String, entity: String) {
        obstacles.append(.init(reason, entity: entity))
    }

    // MARK: Entities

    private mutating func numberEntities() {
        for pair in map.pairs {
            guard names.numbers[pair.destination.name] == nil else {
                refuse("the rows of several entities become rows of one", entity: pair.destination.name)
                continue
            }
            names.numbers[pair.destination.name] = old.names.numbers[pair.source.name]
        }
        // A number that was given once is not given again.
        let carried = Set(names.numbers.values)
        for (name, number) in old.names.numbers where !carried.contains(number) {
            let isKept = name.hasPrefix(PostgresNames.leftover)
            names.numbers[isKept ? name : "\(PostgresNames.leftover)\(name)/\(number)"] = number
        }
    }

    private mutating func findHomes(renamesTables: Bool) {
        for root in map.destination.entities where root.root == root.number {
            let pairs = map.pairs(into: root.number)
            let withRows = pairs.filter { !$0.source.isAbstract }
            var roots: [Int] = []
            for pair in withRows.isEmpty ? pairs : withRows where !roots.contains(pair.source.root) {
                roots.append(pair.source.root)
            }
            guard let home = roots.first else { continue }
            if roots.count > 1 {
                let list = roots.map { "'\(map.source[$0].name)'" }.joined(separator: " and ")
                refuse("the rows of \(list) would have to move into one table", entity: root.name)
            }
            guard !homes.values.contains(home) else {
                refuse(
                    "the rows of '\(map.source[home].name)' would have to move into several tables", entity: root.name)
                continue
            }
            homes[root.number] = home
            guard !renamesTables || map.source[home].name == root.name else { continue }
            names.tables[root.name] = old.names.tables[map.source[home].name]
        }
    }

    // MARK: Join tables

    private mutating func nameJoins() {
        for entity in map.source.entities {
            for slot in map.source.ownRelationships(of: entity) {
                guard case .join(let join)? = old.layout.toMany(slot, in: entity.number), join.isOwner,
                    let part = successor(of: slot, in: entity)
                else { continue }
                let key = PostgresNames.property(entity.relationships[slot].name, of: entity.name)
                names.joins[part] = old.names.joins[key]
                names.tables[part] = join.table
            }
        }
    }

    /// Returns the key of the first relationship with a join table that a relationship becomes.
    private func successor(of slot: Int, in entity: CompiledEntity) -> String? {
        let destination = map.destination
        for pair in map.pairs where entity.family.contains(pair.source.number) {
            for (new, source) in pair.relationships.enumerated() where source == slot {
                let relationship = pair.destination.relationships[new]
                guard relationship.isToMany, !relationship.isTransient, isKept(relationship, from: slot, in: entity),
                    destination.inverse(of: relationship)?.isToMany ?? false
                else { continue }
                return PostgresNames.property(relationship.name, of: destination[relationship.owner].name)
            }
        }
        return nil
    }

    /// Returns whether both ends of a relationship stay in their tables.
    private func isKept(_ new: CompiledRelationship, from slot: Int, in entity: CompiledEntity) -> Bool {
        let relationship = entity.relationships[slot]
        return homes[map.destination[new.owner].root] == entity.root
            && homes[map.destination[new.destination].root] == map.source[relationship.destination].root
    }

    // MARK: Leftovers

    /// Keeps the names of the tables that only the old version has.
    private mutating func reserveTables() {
        // A table that is renamed gives its name up.
        let lasting = Set(names.tables.values).union(homes.values.compactMap { old.layout.tables[$0]?.name })
        for table in old.names.tables.values where !lasting.contains(table) {
            names.tables[PostgresNames.leftover + table] = table
        }
    }

    /// Gives a name to a column.
    mutating func name(_ part: String, _ column: String) { names.columns[part] = column }

    /// Keeps the name of a column that only the old version has, in the table of a root.
    mutating func reserve(_ column: String, in root: CompiledEntity) {
        names.columns["\(root.name).\(PostgresNames.leftover)\(column)"] = column
    }
}

extension PostgresNames {
    /// The start of the keys under which names are kept that the newest version does not have. No entity has such a name.
    static let leftover = "_left/"
}
#endif
