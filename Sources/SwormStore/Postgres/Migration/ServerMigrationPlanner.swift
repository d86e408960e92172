#if PostgreSQL
import SwormPredicates

/// A planner that expresses the migration of a store on a server as SQL. It accesses no server.
///
/// The additive form only adds, so that programs with the older version go on: what the new version does not have
/// stays, and a renamed property has two columns that a trigger keeps equal. The complete form renames, converts and
/// moves values, and serves the new version only.
struct ServerMigrationPlanner {
    enum Form: Sendable { case additive, complete }

    /// One of the two versions, with its tables.
    struct Side {
        let model: CompiledModel
        let names: PostgresNames
        let layout: StoreLayout
        let tables: ServerTables

        init(_ model: CompiledModel, names: PostgresNames, layout: StoreLayout) {
            self.model = model
            self.names = names
            self.layout = layout
            tables = ServerTables(model: model, layout: layout)
        }
    }

    /// The facts about a store from which its migration is planned.
    struct Input {
        var mapping: ModelMapping
        var source: CompiledModel
        var destination: CompiledModel
        /// The names of the old version.
        var names: PostgresNames
        var state = ServerMigrationState()
        var schema: String
        /// Returns whether the dates of an attribute of the old version are stored as seconds.
        var storesSeconds: (CompiledAttribute) -> Bool = { _ in false }
        /// Whether the dates of new attributes are stored as seconds.
        var storesNewSeconds = false
    }

    let map: MigrationMap
    let form: Form
    let state: ServerMigrationState
    let prefix: String
    let old: Side
    let new: Side
    let feeds: LinkSources
    /// The roots of the old version whose tables are those of the roots of the new version.
    let homes: [Int: Int]
    /// The columns of the tables that exist already.
    let columns: [PlannedColumn]
    /// The reasons for which the plan cannot be carried out, as far as the names show them.
    let obstacles: [ServerMigrationPlan.Obstacle]

    init(_ input: Input, form: Form) throws {
        let map = try MigrationMap(input.mapping, from: input.source, to: input.destination)
        self.map = map
        self.form = form
        state = input.state
        prefix = SQLName.alwaysQuoted(input.schema) + "."
        var oldNames = input.names
        let oldLayout = StoreLayout(
            postgres: input.source, schema: input.schema, names: &oldNames, storesSeconds: input.storesSeconds)
        old = Side(input.source, names: oldNames, layout: oldLayout)

        func storesSeconds(_ attribute: CompiledAttribute) -> Bool {
            Self.source(of: attribute, in: map).map(input.storesSeconds)
                ?? (input.storesNewSeconds || attribute.serverTraits.contains(.exactDate))
        }
        func layout(_ names: inout PostgresNames) -> StoreLayout {
            StoreLayout(
                postgres: input.destination, schema: input.schema, names: &names, storesSeconds: storesSeconds)
        }
        var carried = CarriedNames(map, old: (oldNames, oldLayout), renamesTables: form == .complete)
        var provisional = carried.names
        let provisionalLayout = layout(&provisional)
        let feeds = LinkSources(
            map: map, old: oldLayout, new: provisionalLayout, offsets: try KeyOffsets(map, highestKeys: [:]))
        let search = ColumnSearch(
            map: map, old: oldLayout, new: provisionalLayout, feeds: feeds, homes: carried.homes, form: form)
        var columns = try search.columns()
        for column in columns {
            if case .kept(let name) = column.origin { carried.name(column.part, name) }
        }
        let leftovers = input.state.leftovers.columns
        for (root, home) in carried.homes {
            guard let table = oldLayout.tables[home] else { continue }
            let lasting = Set(columns.lazy.filter { $0.root == root }.compactMap(\.origin.column))
            let earlier = leftovers.filter { $0.table == table.name }.map(\.name)
            for name in table.columns.map(\.name) + earlier
            where !lasting.contains(name) && !PostgresNames.ownColumns.contains(name) {
                carried.reserve(name, in: map.destination[root])
            }
        }
        var names = carried.names
        let newLayout = layout(&names)
        for index in columns.indices {
            columns[index].use.column = newLayout.column(of: columns[index].use, in: map.destination) ?? ""
        }
        new = Side(input.destination, names: names, layout: newLayout)
        self.feeds = feeds
        self.columns = columns
        homes = carried.homes
        obstacles = carried.obstacles
    }

    /// Returns the attribute of the old version whose values an attribute of the new version gets.
    private static func source(of attribute: CompiledAttribute, in map: MigrationMap) -> CompiledAttribute? {
        for pair in map.pairs(intoFamily: map.destination[attribute.owner]) {
            let slot = pair.destination.attributes.firstIndex { $0.name == attribute.name }
            if let slot, let source = pair.attributes[slot] { return pair.source.attributes[source] }
        }
        return nil
    }

    // MARK: Plans

    /// Returns the plan that the options allow: one that keeps older versions, if there is one.
    ///
    /// - Throws: ``CoreDataError`` for a mapping that does not fit the models.
    static func plan(
        _ input: Input, allowing changes: PostgresOptions.SchemaChanges
    ) throws -> ServerMigrationPlan {
        let additive = try ServerMigrationPlanner(input, form: .additive).plan()
        guard changes == .all, !additive.obstacles.isEmpty || !additive.fills.isEmpty else { return additive }
        return try ServerMigrationPlanner(input, form: .complete).plan()
    }

    func plan() throws -> ServerMigrationPlan {
        var plan = ServerMigrationPlan(names: new.names, syncs: state.syncs, leftovers: state.leftovers)
        plan.obstacles = obstacles
        plan.keepsOlderVersions = form == .additive
        if form == .complete {
            plan.statements += plan.syncs.flatMap { $0.removal(in: prefix) } + releases(of: plan.syncs)
            plan.syncs = []
            let changes = removals() + gatherings()
            plan.statements += changes
            // A table whose foreign keys are still to be checked cannot be altered.
            if !changes.isEmpty {
                plan.statements += ["IMMEDIATE", "DEFERRED"].map { "SET CONSTRAINTS ALL \($0)" }
            }
            plan.statements += renames(&plan)
        }
        refuseUnknownRows(&plan)
        createTables(&plan)
        for root in map.destination.entities where root.root == root.number { change(root, &plan) }
        changeJoins(&plan)
        leaveTables(&plan)
        if form == .additive {
            for sync in plan.syncs where !state.syncs.contains(sync) { plan.statements += sync.creation(in: prefix) }
        }
        planIndexes(&plan)
        if form == .complete {
            plan.statements += plan.fills.map { $0.sql(in: prefix) } + linkStatements()
            plan.fills = []
        } else if let gathering = feeds.gatherings.first(where: { !isKept($0) }) {
            let relationship = feeds.relationship(gathering.place)
            plan.obstacles.append(
                .init(
                    "its links are stored in another way", entity: map.destination[gathering.place.entity].name,
                    property: relationship.name))
        }
        planDerivedValues(&plan)
        return plan
    }

    /// Returns whether the links of a relationship stay in their join table.
    func isKept(_ gathering: LinkSources.Gathering) -> Bool {
        guard case .join(let join)? = new.layout.toMany(gathering.place.slot, in: gathering.place.entity) else {
            return false
        }
        return old.tables.tables.contains { $0.name == join.table }
    }

    // MARK: Derived values

    private func planDerivedValues(_ plan: inout ServerMigrationPlan) {
        for pair in map.pairs where !pair.source.isAbstract {
            for (slot, attribute) in pair.destination.attributes.enumerated() {
                guard let derivation = attribute.derivation, !attribute.isTransient,
                    pair.attributes[slot].map({ pair.source.attributes[$0].derivation != derivation }) ?? true
                else { continue }
                plan.derivesValues = true
                guard form == .additive else { continue }
                plan.obstacles.append(
                    .init(
                        "older versions would not compute its values", entity: map.destination[attribute.owner].name,
                        property: attribute.name))
            }
        }
    }
}
#endif
