#if PostgreSQL
/// A column of a table that exists already, and the old columns whose values it gets.
struct PlannedColumn {
    enum Origin: Equatable {
        /// The column is added.
        case new
        /// The column is an old one with the same name.
        case kept(String)
        /// The column is an old one that is renamed.
        case renamed(String)

        /// The old column.
        var column: String? {
            switch self {
            case .new: nil
            case .kept(let name), .renamed(let name): name
            }
        }
    }

    /// An old column whose values some rows have.
    struct Source: Equatable {
        var column: String
        /// The destination's numbers of the entities of the rows; nil for all rows.
        var entities: [Int]?
    }

    /// The purpose of the column, with its name after the migration.
    var use: ColumnUse
    /// The root of the table in the new version.
    var root: Int
    /// The key of the column in the names of the store.
    var part: String
    var origin: Origin
    /// Other old columns that have values of the column.
    var sources: [Source] = []
    /// The entities whose rows have no value yet; nil for all rows.
    var emptyEntities: [Int]? = []
    /// Whether rows that have a column may lack a value that the new version requires.
    var mayLackValues = false
    /// Old columns at least one of which has a value in the rows that get the default value; empty if all rows get it.
    var witnesses: [String] = []

    /// Whether some rows need the default value.
    var needsValues: Bool { mayLackValues || emptyEntities != [] }
}

/// A search for the old columns of the columns of a new version.
struct ColumnSearch {
    let map: MigrationMap
    let old: StoreLayout
    let new: StoreLayout
    let feeds: LinkSources
    let homes: [Int: Int]
    let form: ServerMigrationPlanner.Form

    func columns() throws -> [PlannedColumn] {
        var result: [PlannedColumn] = []
        for root in map.destination.entities where homes[root.number] != nil {
            var claimed: Set<String> = []
            let uses = try new.uses(of: root, in: map.destination).map { ($0, try sources(of: $0)) }
            // A column that several properties come from belongs to the first one.
            let claims = uses.flatMap { Set($0.1.compactMap(\.cell.column)) }
            let shared = Set(claims.filter { name in claims.count(where: { $0 == name }) > 1 })
            for (use, sources) in uses {
                result.append(column(of: use, root: root, sources, shared: shared, claimed: &claimed))
            }
        }
        return result
    }

    private typealias Source = (pair: MigrationMap.Pair, cell: TablePlan.Cell)

    /// Returns the cells of the rows that have a column, those of the declaring entity first.
    private func sources(of use: ColumnUse) throws -> [Source] {
        let root = map.destination[use.entity].root
        let all = map.pairs(intoFamily: map.destination[use.entity]).filter { homes[root] == $0.source.root }
        let withRows = all.filter { !$0.source.isAbstract }
        let cells = CellSource(map: map, old: old, new: new, feeds: feeds)
        return try (withRows.isEmpty ? all : withRows)
            .sorted { ($0.destination.number, $0.source.number) < ($1.destination.number, $1.source.number) }
            .compactMap { pair in try cells.cell(of: use, in: pair).map { (pair, $0) } }
    }

    private func column(
        of use: ColumnUse, root: CompiledEntity, _ sources: [Source], shared: Set<String>,
        claimed: inout Set<String>
    ) -> PlannedColumn {
        var result = PlannedColumn(use: use, root: root.number, part: part(of: use), origin: .new)
        var candidates: [String] = []
        for source in sources {
            if let column = source.cell.column, !candidates.contains(column) { candidates.append(column) }
        }
        result.witnesses = sources.lazy.map(\.cell.witnesses).first { !$0.isEmpty } ?? []
        guard let first = candidates.first else {
            // Unless other columns decide it, all rows of a new column have its default value.
            if !result.witnesses.isEmpty { result.emptyEntities = nil }
            return result
        }
        let isRenamed = sources.contains { $0.cell.column == first && self.isRenamed(use, in: $0.pair) }
        if claimed.contains(first) || isRenamed && (form == .additive || shared.contains(first)) {
            result.origin = .new
        } else {
            result.origin = isRenamed ? .renamed(first) : .kept(first)
            claimed.insert(first)
            candidates.removeFirst()
        }
        func numbers(_ matching: (Source) -> Bool) -> [Int] { sources.filter(matching).map(\.pair.destination.number) }
        let coversAll =
            sources.allSatisfy { $0.cell.column != nil } && Set(sources.compactMap(\.cell.column)).count == 1
        result.sources = candidates.map { column in
            let isAlone = coversAll && !shared.contains(column)
            return .init(column: column, entities: isAlone ? nil : numbers { $0.cell.column == column })
        }
        result.emptyEntities = numbers { $0.cell.column == nil && $0.cell.fill != nil }
        result.mayLackValues = sources.contains { $0.cell.column != nil && $0.cell.fill != nil }
        return result
    }

    private func isRenamed(_ use: ColumnUse, in pair: MigrationMap.Pair) -> Bool {
        switch use.role {
        case .attribute(let slot):
            pair.attributes[slot].map { pair.source.attributes[$0].name } != pair.destination.attributes[slot].name
        case .key(let slot), .order(let slot):
            pair.relationships[slot].map { pair.source.relationships[$0].name }
                != pair.destination.relationships[slot].name
        case .ownerKey(let place), .ownerOrder(let place):
            feeds.directOwner(place)?.relationship.name != feeds.relationship(place).name
        case .entity: false
        }
    }

    /// Returns the key of a column in the names of the store.
    private func part(of use: ColumnUse) -> String {
        let entity = map.destination[use.entity]
        func link(_ place: PropertyLocation) -> String {
            PostgresNames.property(feeds.relationship(place).name, of: map.destination[place.entity].name)
        }
        switch use.role {
        case .attribute(let slot): return PostgresNames.property(entity.attributes[slot].name, of: entity.name)
        case .key(let slot), .entity(let slot):
            return PostgresNames.property(entity.relationships[slot].name, of: entity.name)
        case .order(let slot): return PostgresNames.order(of: entity.relationships[slot].name, in: entity.name)
        case .ownerKey(let place): return PostgresNames.owner(of: link(place), in: entity.name)
        case .ownerOrder(let place): return PostgresNames.order(of: link(place), in: entity.name)
        }
    }
}

extension StoreLayout {
    /// Returns the column for a purpose; nil if it is missing.
    func column(of use: ColumnUse, in model: CompiledModel) -> String? {
        switch use.role {
        case .attribute(let slot): column(ofAttribute: slot, in: use.entity)
        case .key(let slot): toOne(slot, in: use.entity)?.column
        case .entity(let slot): toOne(slot, in: use.entity)?.entityColumn
        case .order(let slot): order(ofToOne: slot, in: model[use.entity])
        case .ownerKey(let place): owner(of: place)?.column
        case .ownerOrder(let place): owner(of: place)?.order
        }
    }

    private func owner(of place: PropertyLocation) -> (column: String, order: String?)? {
        guard case .oneWay(let column, let order)? = toMany(place.slot, in: place.entity) else { return nil }
        return (column, order)
    }
}
#endif
