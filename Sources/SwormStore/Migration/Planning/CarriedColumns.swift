/// The third-party columns of tables whose rows are moved into a recreated table.
struct CarriedColumns: Sendable {
    struct Column: Sendable, Hashable {
        var name: String
        /// The definition of the column in the new table.
        var definition: String
        /// The definition that is used if SQLite does not accept the full one; nil to leave the column out.
        var plain: String?
        var isGenerated: Bool
        /// The roots of the source whose rows have the column.
        var roots: Set<Int>
    }

    private(set) var columns: [Column] = []
    /// The columns that could not be retained because the new model needs their names, each with the table that
    /// contains it.
    private(set) var clashes: [(table: String, column: UnmanagedColumn)] = []
    private(set) var notes: [String] = []

    static let none = CarriedColumns()
    private init() {}

    /// Collects the third-party columns for a recreated table.
    ///
    /// - Parameter roots: The roots of the source whose rows are moved into the table.
    init(into table: StoreLayout.Table, from roots: [Int], _ source: MigrationSource) {
        let needed = Set(table.columns.map { $0.name.uppercased() })
        for root in roots {
            guard let old = source.layout.tables[root]?.name else { continue }
            for column in source.foreignColumns[old] ?? [] {
                guard !needed.contains(column.name.uppercased()) else {
                    clashes.append((old, column))
                    continue
                }
                add(column, of: old, root: root, isAlone: roots.count == 1)
            }
        }
    }

    private mutating func add(_ column: UnmanagedColumn, of table: String, root: Int, isAlone: Bool) {
        let what = "The column '\(column.name)' of the table '\(table)', which is not part of the model,"
        if let place = columns.firstIndex(where: { $0.name.uppercased() == column.name.uppercased() }) {
            guard !column.isGenerated, !columns[place].isGenerated else {
                notes.append("\(what) was dropped: the new table already has a column of that name.")
                return
            }
            columns[place].roots.insert(root)
            guard columns[place].definition != column.plain else { return }
            // A type could change the values of the other table's rows.
            columns[place].definition = SQLName.alwaysQuoted(column.name)
            columns[place].plain = columns[place].definition
            notes.append("\(what) lost its declared type: several tables with such a column are merged.")
            return
        }
        guard column.isGenerated else {
            // Rows of other tables may violate the constraints in the definition of this one's column.
            let definition = isAlone ? column.definition ?? column.plain : column.plain
            if !isAlone, let full = column.definition, !Self.says(full, onlyTypeOf: column) {
                notes.append("\(what) keeps only its declared type: rows of several tables are merged.")
            }
            columns.append(
                Column(
                    name: column.name, definition: definition, plain: column.plain, isGenerated: false, roots: [root]))
            return
        }
        guard let definition = column.definition else {
            notes.append("\(what) was dropped: its generating expression could not be determined.")
            return
        }
        columns.append(
            Column(name: column.name, definition: definition, plain: nil, isGenerated: true, roots: [root]))
    }

    /// Returns whether a definition consists only of the name and the type.
    private static func says(_ definition: String, onlyTypeOf column: UnmanagedColumn) -> Bool {
        let names = [column.name, SQLName.alwaysQuoted(column.name)]
        guard !column.type.isEmpty else { return names.contains(definition) }
        return names.contains { name in
            [column.type, SQLName.alwaysQuoted(column.type)].contains { definition == "\(name) \($0)" }
        }
    }

    /// Returns the statement that creates the table, with these columns at its end.
    func statement(for table: StoreLayout.Table) -> MigrationStatement {
        var statement = MigrationStatement(StoreSchema.statement(for: table, and: columns.map(\.definition)))
        let plain = StoreSchema.statement(for: table, and: columns.compactMap(\.plain))
        if plain != statement.sql {
            let names = columns.map(\.name).joined(separator: ", ")
            statement.otherwise = .init(
                sql: plain,
                note:
                    "Of the columns \(names) of the table '\(table.name)', which are not part of the model, only names and types were kept, and generated columns were dropped"
            )
        }
        return statement
    }

    /// Returns the columns whose values are read from the table of a root.
    func columns(from root: Int) -> [String] {
        columns.filter { !$0.isGenerated && $0.roots.contains(root) }.map { SQLName.alwaysQuoted($0.name) }
    }
}
