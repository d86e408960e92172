/// A planner that expresses a migration as SQL. It accesses no database: everything that it needs to know is passed to
/// it.
///
/// The order of the steps: gather the links that do not remain in place; remove triggers and indexes; move old tables
/// out of the way, or rename them and their columns; copy rows into new tables; write the links; finally create the
/// indexes and triggers, as in a new store.
struct MigrationPlanner {
    let map: MigrationMap
    let source: MigrationSource
    let layout: StoreLayout
    let offsets: KeyOffsets
    let feeds: LinkSources
    let tables: [TablePlan]
    let joins: [JoinPlan]
    /// The uppercase names of the indexes that the old model or the new one requires.
    let modelIndexes: Set<String>
    /// The R-trees that the new model requires.
    var neededTrees: Set<String> = []

    init(_ mapping: ModelMapping, from source: MigrationSource, of old: CompiledModel, to new: CompiledModel) throws {
        let map = try MigrationMap(mapping, from: old, to: new)
        let layout = StoreLayout(model: new)
        let offsets = try KeyOffsets(map, highestKeys: source.highestKeys)
        let feeds = LinkSources(map: map, old: source.layout, new: layout, offsets: offsets)
        self.map = map
        self.source = source
        self.layout = layout
        self.offsets = offsets
        self.feeds = feeds
        tables = try Self.roots(of: new).map {
            try TablePlan(root: $0, map: map, source: source, layout: layout, feeds: feeds)
        }
        let indexes =
            StoreSchema(model: old, layout: source.layout).indexes() + StoreSchema(model: new, layout: layout).indexes()
        modelIndexes = Set(indexes.map { $0.name.uppercased() })
        joins = Self.roots(of: new).flatMap { layout.ownedJoins(of: $0, in: new) }.map { join in
            let place = Self.place(of: join, in: layout, model: new)
            return JoinPlan(join: join, place: place, kept: feeds[place] == .direct ? feeds.directJoin(place) : nil)
        }
    }

    func plan() throws -> MigrationPlan {
        try refuseForeignNames()
        var plan = MigrationPlan()
        plan.changes += feeds.gatherings.flatMap { gather($0) }
        plan.changes += removeTriggers() + removeTrees() + removeIndexes()
        plan.changes += rearrange()
        for table in tables { plan.changes += table.kept == nil ? fill(table) : change(table) }
        plan.changes += oldTables.map { MigrationStatement("DROP TABLE \($0.moved)") }
        plan.changes += redirectReferences()
        plan.changes += writeLinks()
        plan.changes += history() + mirroring()
        plan.uniqueIndexes = indexesToMake.filter { $0.constraint != nil }
        plan.completion += indexesToMake.map { MigrationStatement($0.sql) }
        plan.completion += DerivationTriggers(model: map.destination, layout: layout).statements().map {
            MigrationStatement($0)
        }
        plan.completion += cleanTrees() + records()
        plan.foreign = foreignObjects
        plan.trees = lastingTrees
        let old = Set(oldTableNames.map { $0.uppercased() })
        plan.referring = Set(source.foreignKeys.filter { old.contains($0.target.uppercased()) }.map(\.table))
            .subtracting(oldTableNames)
        plan.notes = foreignNotes
        return plan
    }

    static func roots(of model: CompiledModel) -> [CompiledEntity] {
        model.entities.filter { $0.root == $0.number }
    }

    private static func place(of join: StoreLayout.Join, in layout: StoreLayout, model: CompiledModel)
        -> PropertyLocation
    {
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) where layout.toMany(slot, in: entity.number) == .join(join) {
                return PropertyLocation(entity: entity.number, slot: slot)
            }
        }
        return PropertyLocation(entity: 0, slot: 0)
    }

    // MARK: Old tables

    /// The tables of the source's entities and relationships.
    var oldTableNames: [String] {
        Self.roots(of: map.source).compactMap { source.layout.tables[$0.number]?.name } + oldJoins
    }

    var oldJoins: [String] {
        Self.roots(of: map.source).flatMap { source.layout.ownedJoins(of: $0, in: map.source) }.map(\.table)
    }

    /// The entity tables that are replaced, with their temporary names until they are dropped.
    var oldTables: [(name: String, moved: String, root: Int)] {
        let kept = Set(tables.compactMap(\.kept))
        return Self.roots(of: map.source).compactMap { root in
            guard let name = source.layout.tables[root.number]?.name, !kept.contains(name) else { return nil }
            return (name, "SwormOld_\(root.number)", root.number)
        }
    }

    // MARK: Records

    /// Returns the statements that write the rows of `Z_PRIMARYKEY` and the tables that old stores do not have.
    private func records() -> [MigrationStatement] {
        var statements: [MigrationStatement] = []
        let (old, new) = (map.source.entities.count, map.destination.entities.count)
        statements.append("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT <= \(old)")
        // The records of the history usually have much higher numbers; otherwise the entities take precedence.
        for kind in HistoryTables.Kind.allCases {
            guard let number = source.otherRecords[kind.rawValue], number <= Int64(new) else { continue }
            statements.append("UPDATE Z_PRIMARYKEY SET Z_ENT = \(kind.number) WHERE Z_ENT = \(number)")
            statements.append("UPDATE \(kind.table) SET Z_ENT = \(kind.number)")
        }
        for entity in map.destination.entities {
            let highest = entity.root == entity.number ? offsets.highest[entity.number] ?? 0 : 0
            statements.append(
                MigrationStatement(
                    "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, ?4)",
                    binding: [
                        .integer(Int64(entity.number)), .text(entity.name), .integer(Int64(entity.superentity ?? 0)),
                        .integer(highest),
                    ]))
        }
        if source.types["Z_MODELCACHE"] == nil { statements.append("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)") }
        return statements
    }
}

/// The plan for one join table of the destination.
struct JoinPlan {
    /// The join table, seen from the side after which it is named.
    let join: StoreLayout.Join
    let place: PropertyLocation
    /// The table of the source that is retained, seen from the same side; nil if the table is recreated.
    let kept: StoreLayout.Join?

    var renames: [(from: String, to: String)] {
        guard let kept else { return [] }
        let columns = [
            (kept.ownColumn, join.ownColumn), (kept.otherColumn, join.otherColumn),
            (kept.orderColumn ?? "", join.orderColumn ?? ""),
            (kept.inverseOrderColumn ?? "", join.inverseOrderColumn ?? ""),
        ]
        return columns.filter { $0 != $1 }.map { (from: $0, to: $1) }
    }

    var keepsNames: Bool { kept?.table == join.table && renames.isEmpty }
}
