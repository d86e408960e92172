/// The schema of a new store: its tables, indexes and triggers, in the text and order in which Core Data writes them.
package struct StoreSchema: Sendable {
    let model: CompiledModel
    let layout: StoreLayout

    package init(model: CompiledModel) { self.init(model: model, layout: StoreLayout(model: model)) }

    /// Creates the schema of a model.
    ///
    /// - Parameter layout: The layout of the new store, which must have been created from the same model.
    package init(model: CompiledModel, layout: StoreLayout) {
        self.model = model
        self.layout = layout
    }

    /// Returns all statements of the schema: the tables of entities, each followed by its join tables, the indexes in
    /// the same order, the triggers of derived attributes, then the system tables.
    package func statements() -> [String] {
        let roots = model.entities.filter { $0.root == $0.number }
        return roots.flatMap { tableStatements(of: $0) } + indexes().map(\.sql)
            + DerivationTriggers(model: model, layout: layout).statements() + Self.systemTables
    }

    /// Returns the indexes of all tables.
    func indexes() -> [SchemaIndex] {
        var writer = IndexWriter(model: model, layout: layout)
        return model.entities.filter { $0.root == $0.number }.flatMap { writer.indexes(of: $0) }
    }

    /// Returns the statements that fill `Z_PRIMARYKEY` with a row for every entity.
    func primaryKeyStatements() -> [CompiledStatement] {
        model.entities.map { entity in
            CompiledStatement(
                sql: "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, ?4)",
                bindings: [
                    .int64(Int64(entity.number)), .text(entity.name), .int64(Int64(entity.superentity ?? 0)), .int64(0),
                ])
        }
    }

    static let systemTables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    private func tableStatements(of root: CompiledEntity) -> [String] {
        guard let table = layout.tables[root.number] else { return [] }
        return [Self.statement(for: table)] + layout.ownedJoins(of: root, in: model).map { Self.statement(for: $0) }
    }

    /// Returns the statement that creates a table of entities.
    ///
    /// - Parameter others: Further declarations besides the columns of the layout.
    static func statement(for table: StoreLayout.Table, and others: [String] = []) -> String {
        let columns = table.columns.map { "\(SQLName.quoted($0.name)) \($0.declaredType)" } + others
        return "CREATE TABLE \(SQLName.quoted(table.name)) ( \(columns.joined(separator: ", ")) )"
    }

    /// Returns the statement that creates a join table.
    static func statement(for join: StoreLayout.Join) -> String {
        let keys = [join.ownColumn, join.otherColumn].map { SQLName.quoted($0) }
        let orders = [join.inverseOrderColumn, join.orderColumn].compactMap { $0 }.map { SQLName.quoted($0) }
        let columns = (keys + orders).map { "\($0) INTEGER" }
        let key = "PRIMARY KEY (\(keys.joined(separator: ", ")))"
        return "CREATE TABLE \(SQLName.quoted(join.table)) ( \((columns + [key]).joined(separator: ", ")) )"
    }
}

extension StoreLayout {
    /// Returns the join tables that are named after relationships of one hierarchy, each once, in the order of
    /// entities and names.
    func ownedJoins(of root: CompiledEntity, in model: CompiledModel) -> [Join] {
        root.family.flatMap { number -> [Join] in
            let entity = model[number]
            let slots = model.ownRelationships(of: entity).sorted {
                SQLName.precedes(entity.relationships[$0].name, entity.relationships[$1].name)
            }
            return slots.compactMap { slot in
                guard case .join(let join) = toMany(slot, in: number), join.isOwner else { return nil }
                return join
            }
        }
    }
}
