/// The plan for one table of the destination.
struct TablePlan {
    /// The content of a column in the rows of one pair.
    struct Cell: Hashable {
        /// The column of the source; nil for none.
        var column: String?
        /// The expression that is read from the source; nil for NULL.
        var expression: String?
        /// The value that replaces NULL.
        var fill: StoredValue?
        /// The columns of the source at least one of which must have a value for the fill to apply; empty if it always
        /// applies.
        var witnesses: [String] = []

        static let empty = Cell()

        /// Returns an expression for a value if one of the given columns is not NULL, and otherwise for NULL.
        static func given(_ value: String, by witnesses: [String]) -> String {
            guard !witnesses.isEmpty else { return value }
            let columns = witnesses.map { "\(SQLName.quoted($0)) IS NOT NULL" }
            return "CASE WHEN \(columns.joined(separator: " OR ")) THEN \(value) END"
        }

        /// Whether the cell is an unmodified column of the source, apart from the value that replaces NULL.
        var isPlain: Bool { column.map { SQLName.quoted($0) == expression } ?? (expression == nil) }
    }

    let root: CompiledEntity
    let table: StoreLayout.Table
    let uses: [ColumnUse]
    let pairs: [MigrationMap.Pair]
    /// The cells, by use, then by pair; nil if the rows do not have the column.
    let cells: [[Cell?]]
    /// The table of the source that is retained; nil if the table is recreated.
    private(set) var kept: String?
    /// The third-party columns of the tables whose rows are moved into a recreated table.
    private(set) var carried = CarriedColumns.none

    init(
        root: CompiledEntity, map: MigrationMap, source: MigrationSource, layout: StoreLayout, feeds: LinkSources
    ) throws {
        self.root = root
        table = layout.tables[root.number] ?? StoreLayout.Table(name: "", columns: [])
        uses = layout.uses(of: root, in: map.destination)
        pairs = map.pairs(into: root.number)
        let cells = try uses.map { use in
            try map.pairs(into: root.number).map { pair in
                try CellSource(map: map, old: source.layout, new: layout, feeds: feeds).cell(of: use, in: pair)
            }
        }
        self.cells = cells
        kept = nil
        kept = keptTable(by: map, from: source)
        guard kept == nil else { return }
        var roots: [Int] = []
        for pair in pairs where !roots.contains(pair.source.root) { roots.append(pair.source.root) }
        carried = CarriedColumns(into: table, from: roots, source)
    }

    /// Returns the column of the source that becomes a column, for all rows that have it; nil for a new column.
    func column(ofUse index: Int) -> String? { cells[index].compactMap { $0?.column }.first }

    /// Returns the table of the source that has exactly the rows and columns of this one, possibly with different
    /// column names; nil if no table does.
    private func keptTable(by map: MigrationMap, from source: MigrationSource) -> String? {
        guard let first = pairs.first, pairs.allSatisfy({ $0.source.root == first.source.root }),
            map.pairs(outOf: first.source.root).count == pairs.count,
            let present = source.layout.tables[first.source.root], !source.hasConstraint(present.name),
            let types = source.types[present.name]
        else { return nil }
        let oldUses = source.layout.uses(of: map.source[first.source.root], in: map.source)
        var kept: Set<String> = []
        for (index, use) in uses.enumerated() {
            let cells = self.cells[index]
            guard cells.allSatisfy({ $0?.isPlain ?? true }) else { return nil }
            let columns = Set(cells.compactMap { $0?.column })
            guard columns.count <= 1 else { return nil }
            guard let column = columns.first else { continue }
            // Otherwise values that other rows have in that column would appear in this one.
            let owners = oldUses.filter { $0.column == column }.map { map.source[$0.entity].family }
            for (pair, cell) in zip(pairs, cells) where cell?.column == nil {
                if owners.contains(where: { $0.contains(pair.source.number) }) { return nil }
            }
            guard kept.insert(column).inserted, types[column] == declaredType(of: use.column) else { return nil }
        }
        guard oldUses.allSatisfy({ kept.contains($0.column) }) else { return nil }
        // A column that is unknown to the old model remains, unless a new column needs its name. SQLite ignores the
        // case of column names.
        let system: Set = ["Z_PK", "Z_ENT", "Z_OPT"]
        let names = Array(types.keys) + (source.foreignColumns[present.name] ?? []).map(\.name)
        let unknown = Set(names).subtracting(kept).subtracting(system).map { $0.uppercased() }
        return Set(unknown).isDisjoint(with: uses.map { $0.column.uppercased() }) ? present.name : nil
    }

    private func declaredType(of column: String) -> String? {
        table.columns.first { $0.name == column }?.declaredType
    }

    /// The columns of a retained table that are renamed.
    var renames: [(from: String, to: String)] {
        uses.indices.compactMap { index in
            guard let column = column(ofUse: index), column != uses[index].column else { return nil }
            return (column, uses[index].column)
        }
    }

    /// The columns that are added to a retained table, in the order of a new table.
    var additions: [StoreLayout.Column] {
        let new = Set(uses.indices.filter { column(ofUse: $0) == nil }.map { uses[$0].column })
        return table.columns.filter { new.contains($0.name) }
    }

    /// Whether the table is retained with its name and the names of its columns.
    var keepsNames: Bool { kept == table.name && renames.isEmpty }

    var hasFills: Bool { cells.contains { $0.contains { $0?.fill != nil } } }
}
