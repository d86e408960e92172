/// An index of a store, with its SQL text.
struct SchemaIndex: Sendable, Hashable {
    /// The uniqueness constraint that an index enforces.
    struct Constraint: Sendable, Hashable {
        var entity: String
        var properties: [String]
        var columns: [String]
    }

    var name: String
    var table: String
    var sql: String
    /// The constraint, or nil for an index that only finds rows.
    var constraint: Constraint?
    /// Whether the index is everything that the model requests. The condition of a partial index may have no SQL form.
    var isWhole = true

    /// Returns the part of an index's statement after its name, which states the table and columns, or nil if the
    /// statement has no such part.
    static func place(_ sql: String) -> String? {
        sql.firstRange(of: " ON ").map { String(sql[$0.upperBound...]) }
    }
}

/// A writer of a store's indexes in the style of iOS 11 and later.
struct IndexWriter {
    let model: CompiledModel
    let layout: StoreLayout
    private var names = SQLNameRegister()

    init(model: CompiledModel, layout: StoreLayout) {
        self.model = model
        self.layout = layout
    }

    /// Returns the indexes of one hierarchy's table and of its join tables.
    mutating func indexes(of root: CompiledEntity) -> [SchemaIndex] {
        guard let table = layout.tables[root.number] else { return [] }
        var result = keyColumns(of: root, in: table).map { column in
            create("\(table.name)_\(column)_INDEX", on: table.name, definition: "(\(SQLName.quoted(column)))")
        }
        if root.hasDescendants {
            result.append(create("\(table.name)_Z_ENT_INDEX", on: table.name, definition: "(Z_ENT)"))
        }
        for join in layout.ownedJoins(of: root, in: model) {
            let columns = [join.otherColumn, join.ownColumn].map { SQLName.quoted($0) }.joined(separator: ", ")
            result.append(create("\(join.table)_\(join.otherColumn)_INDEX", on: join.table, definition: "(\(columns))"))
        }
        for number in root.family {
            result += fetchIndexes(of: model[number], in: table.name)
            result += uniqueIndexes(of: model[number], in: table.name)
        }
        return result
    }

    private mutating func create(
        _ name: String, on table: String, definition rest: String, unique constraint: SchemaIndex.Constraint? = nil
    ) -> SchemaIndex {
        let name = names.claim(name)
        let kind = constraint == nil ? "INDEX" : "UNIQUE INDEX"
        return SchemaIndex(
            name: name, table: table,
            sql: "CREATE \(kind) \(SQLName.quoted(name)) ON \(SQLName.quoted(table)) \(rest)", constraint: constraint)
    }

    /// Returns the columns that hold keys of other objects, in the order of the table.
    private func keyColumns(of root: CompiledEntity, in table: StoreLayout.Table) -> [String] {
        var keys: Set<String> = []
        for number in root.family {
            for toOne in layout.toOnes[number - 1] { if let toOne { keys.insert(toOne.column) } }
        }
        for entity in model.entities {
            for slot in entity.relationships.indices where root.family.contains(entity.relationships[slot].destination)
            {
                if case .oneWay(let column, _) = layout.toMany(slot, in: entity.number) { keys.insert(column) }
            }
        }
        return table.columns.map(\.name).filter { keys.contains($0) }
    }

    // MARK: Indexes of the model

    private mutating func fetchIndexes(of entity: CompiledEntity, in table: String) -> [SchemaIndex] {
        var result: [SchemaIndex] = []
        for attribute in flaggedAttributes(of: entity) {
            guard let column = column(named: attribute, of: entity) else { continue }
            let name = "Z_\(entity.name)_\(attribute)"
            result.append(create(name, on: table, definition: "(\(SQLName.quoted(column)) COLLATE BINARY ASC)"))
        }
        for index in entity.indexes where index.kind != .flag && !isRepeated(index, in: entity) {
            // The index of a single relationship already exists.
            if case .relationship? = onlyProperty(of: index).flatMap({ entity.slot(named: $0) }) { continue }
            let columns = index.elements.compactMap { element -> String? in
                switch element {
                case .property(let name, let ascending):
                    column(named: name, of: entity).map { ordered($0, ascending: ascending) }
                case .primaryKey(let ascending): ordered("Z_PK", ascending: ascending)
                case .entity(let ascending): ordered("Z_ENT", ascending: ascending)
                }
            }
            guard !columns.isEmpty else { continue }
            // A predicate that has no SQL form is omitted: the index then covers more rows, and is equally useful.
            let filter = index.predicate.flatMap {
                PartialIndexPredicate(entity: entity, layout: layout).text(of: $0)
            }
            let name = "Z_\(entity.name)_\(index.name)"
            let rest = "(\(columns.joined(separator: ", ")))" + (filter.map { " WHERE " + $0 } ?? "")
            var made = create(name, on: table, definition: rest)
            made.isWhole = (index.predicate == nil) == (filter == nil)
            result.append(made)
        }
        return result
    }

    private func onlyProperty(of index: CompiledIndex) -> String? {
        guard index.elements.count == 1, case .property(let name, _) = index.elements[0] else { return nil }
        return name
    }

    /// Returns the attributes that are flagged as indexed, inherited ones first. Each has one index for its entity and
    /// one for every descendant. Attributes that are the only property of a fetch index have the order of these
    /// indexes.
    private func flaggedAttributes(of entity: CompiledEntity) -> [String] {
        var chain = [entity]
        while let above = chain.last?.superentity { chain.append(model[above]) }
        var seen: Set<String> = []
        return chain.reversed().flatMap { entity in
            let flagged = Set(entity.indexes.filter { $0.kind == .flag }.map(\.name))
            let alone = entity.indexes.filter { $0.kind == .fetchIndex }.compactMap { onlyProperty(of: $0) }
            return (alone.filter { flagged.contains($0) } + entity.indexes.filter { $0.kind == .flag }.map(\.name))
                .filter { seen.insert($0).inserted }
        }
    }

    /// Returns whether a fetch index repeats this compound index, in which case the compound index is not created.
    private func isRepeated(_ index: CompiledIndex, in entity: CompiledEntity) -> Bool {
        index.kind == .compound && entity.indexes.contains { $0.kind == .fetchIndex && $0.elements == index.elements }
    }

    private mutating func uniqueIndexes(of entity: CompiledEntity, in table: String) -> [SchemaIndex] {
        entity.uniquenessConstraints.compactMap { constraint in
            let columns = constraint.compactMap { column(named: $0, of: entity) }
            guard !columns.isEmpty, columns.count == constraint.count else { return nil }
            let name = "Z_\(entity.name)_UNIQUE_" + constraint.joined(separator: "_")
            let list = columns.map { ordered($0, ascending: true) }.joined(separator: ", ")
            return create(
                name, on: table, definition: "(\(list))",
                unique: .init(entity: entity.name, properties: constraint, columns: columns))
        }
    }

    private func ordered(_ column: String, ascending: Bool) -> String {
        "\(SQLName.quoted(column)) COLLATE BINARY \(ascending ? "ASC" : "DESC")"
    }

    private func column(named name: String, of entity: CompiledEntity) -> String? {
        switch entity.slot(named: name) {
        case .attribute(let slot): layout.column(ofAttribute: slot, in: entity.number)
        case .relationship(let slot): layout.toOne(slot, in: entity.number)?.column
        case nil: nil
        }
    }
}
