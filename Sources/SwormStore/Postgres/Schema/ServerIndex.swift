#if PostgreSQL
import SwormPredicates

/// An index of a store on a server.
struct ServerIndex: Sendable, Hashable {
    struct Column: Sendable, Hashable {
        var name: String
        var isAscending = true
        /// Whether the column is the primary key, which is never NULL.
        var isKey = false
        /// The way in which the strings of the column are folded; nil for the column itself.
        var folding: TextFolding?

        /// The column in the order in which requests sort it, for which NULL is the smallest value.
        ///
        /// - Parameter prefix: The schema with a period.
        func sql(in prefix: String) -> String {
            var text = SQLName.alwaysQuoted(name)
            if let folding { text = "\(prefix)\(folding.functionName)(\(text))" }
            if isKey { return isAscending ? text : text + " DESC" }
            return text + (isAscending ? " NULLS FIRST" : " DESC NULLS LAST")
        }
    }

    var name: String
    var table: String
    var columns: [Column]
    var isUnique = false
    /// The condition of a partial index.
    var condition: String?
    /// The properties that the index is about.
    var subject: ServerSubject?

    /// Returns the statement that creates the index.
    ///
    /// - Parameter prefix: The schema with a period.
    func creation(in prefix: String) -> String {
        let kind = isUnique ? "UNIQUE INDEX" : "INDEX"
        let list = columns.map { $0.sql(in: prefix) }.joined(separator: ", ")
        return
            "CREATE \(kind) \(SQLName.alwaysQuoted(name)) ON \(prefix)\(SQLName.alwaysQuoted(table)) (\(list))"
            + (condition.map { " WHERE " + $0 } ?? "")
    }

    /// Returns whether another index finds the same rows in the same order.
    fileprivate func repeats(_ other: ServerIndex) -> Bool {
        func order(_ index: ServerIndex) -> ArraySlice<Column> {
            index.columns.last?.isKey ?? false ? index.columns.dropLast() : index.columns[...]
        }
        return table == other.table && condition == other.condition && order(self) == order(other)
    }
}

/// A writer of the indexes of a store on a server.
struct ServerIndexWriter {
    private let model: CompiledModel
    private let layout: StoreLayout
    private var indexes: [ServerIndex] = []
    /// The names of tables, sequences and indexes of a schema are distinct.
    private var taken: Set<String>

    /// Returns the indexes, in the order of the tables.
    static func indexes(model: CompiledModel, layout: StoreLayout) -> [ServerIndex] {
        var writer = ServerIndexWriter(model: model, layout: layout)
        for root in model.entities where root.root == root.number { writer.addIndexes(of: root) }
        return writer.indexes
    }

    private init(model: CompiledModel, layout: StoreLayout) {
        self.model = model
        self.layout = layout
        let joins = model.entities.flatMap { layout.ownedJoins(of: $0, in: model).map(\.table) }
        let tables = layout.tables.values.map(\.name) + joins + PostgresNames.ownTables
        taken = Set(tables.flatMap { PostgresNames.relations(ofTable: $0) })
    }

    private mutating func add(_ index: ServerIndex) {
        guard !index.columns.isEmpty, !indexes.contains(where: { index.repeats($0) && !index.isUnique }) else { return }
        var index = index
        index.name = PostgresNames.free([index.name]) { !taken.contains($0) }
        taken.insert(index.name)
        indexes.append(index)
    }

    private mutating func addIndexes(of root: CompiledEntity) {
        guard let table = layout.tables[root.number] else { return }
        // Unique indexes come first, so that no other index repeats them.
        for number in root.family { addUniqueIndexes(of: model[number], in: table.name) }
        for link in links(to: root, in: table) { add(link) }
        if root.hasDescendants {
            add(
                ServerIndex(
                    name: "\(table.name)__entity", table: table.name,
                    columns: [ServerIndex.Column(name: "_entity"), Self.key],
                    subject: nil))
        }
        for join in layout.ownedJoins(of: root, in: model) {
            let columns = [join.otherColumn, join.ownColumn].map { ServerIndex.Column(name: $0, isKey: true) }
            add(ServerIndex(name: "\(join.table)_\(join.otherColumn)", table: join.table, columns: columns))
        }
        for number in root.family { addFetchIndexes(of: model[number], in: table.name) }
        for number in root.family { addFoldedIndexes(of: model[number], in: table.name) }
    }

    private static var key: ServerIndex.Column { ServerIndex.Column(name: "_key", isKey: true) }

    // MARK: Relationships

    /// Returns the indexes of the columns with keys of other objects, each with the order of its members, in the order of
    /// the table.
    private func links(to root: CompiledEntity, in table: StoreLayout.Table) -> [ServerIndex] {
        var found: [String: ServerIndex] = [:]
        func note(_ column: String, order: String?, entity: CompiledEntity, property: String) {
            var columns = [ServerIndex.Column(name: column)]
            if let order { columns.append(ServerIndex.Column(name: order)) }
            found[column] = ServerIndex(
                name: "\(table.name)_\(column)", table: table.name, columns: columns + [Self.key],
                subject: ServerSubject(entity: entity.name, properties: [property]))
        }
        for number in root.family {
            let entity = model[number]
            for slot in model.ownRelationships(of: entity) {
                guard let toOne = layout.toOne(slot, in: number) else { continue }
                let relationship = entity.relationships[slot]
                var order: String?
                if let inverse = relationship.inverse,
                    case .inverse(_, let column)? = layout.toMany(inverse, in: relationship.destination)
                {
                    order = column
                }
                note(toOne.column, order: order, entity: entity, property: relationship.name)
            }
        }
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) {
                let relationship = entity.relationships[slot]
                guard root.family.contains(relationship.destination),
                    case .oneWay(let column, let order)? = layout.toMany(slot, in: entity.number)
                else { continue }
                note(column, order: order, entity: entity, property: relationship.name)
            }
        }
        return table.columns.compactMap { found[$0.name] }
    }

    // MARK: Indexes of the model

    private mutating func addUniqueIndexes(of entity: CompiledEntity, in table: String) {
        for constraint in entity.uniquenessConstraints {
            let columns = constraint.compactMap { column(named: $0, of: entity) }
            guard columns.count == constraint.count else { continue }
            add(
                ServerIndex(
                    name: "\(table)_\(columns.joined(separator: "_"))_key", table: table,
                    columns: columns.map { ServerIndex.Column(name: $0) }, isUnique: true,
                    subject: ServerSubject(entity: entity.name, properties: constraint)))
        }
    }

    private mutating func addFetchIndexes(of entity: CompiledEntity, in table: String) {
        let prefix = entity.root == entity.number ? table : "\(table)_\(entity.name)"
        for index in entity.indexes {
            var properties: [String] = []
            var columns = index.elements.compactMap { element -> ServerIndex.Column? in
                switch element {
                case .property(let name, let ascending):
                    properties.append(name)
                    return column(named: name, of: entity).map { ServerIndex.Column(name: $0, isAscending: ascending) }
                case .primaryKey(let ascending):
                    return ServerIndex.Column(name: "_key", isAscending: ascending, isKey: true)
                case .entity(let ascending):
                    // A table of a single entity has no such column.
                    return model[entity.root].hasDescendants
                        ? ServerIndex.Column(name: "_entity", isAscending: ascending) : nil
                }
            }
            guard !columns.isEmpty else { continue }
            if !columns.contains(where: \.isKey) { columns.append(Self.key) }
            // A predicate without an exact form is omitted: the index then covers more rows, and is equally useful.
            let condition = index.predicate.flatMap {
                PartialIndexPredicate(onServer: entity, layout: layout).text(of: $0)
            }
            add(
                ServerIndex(
                    name: "\(prefix)_\(index.name)", table: table, columns: columns, condition: condition,
                    subject: ServerSubject(entity: entity.name, properties: properties)))
        }
    }

    /// Adds the indexes of folded strings. Requests compare the results of the same functions.
    private mutating func addFoldedIndexes(of entity: CompiledEntity, in table: String) {
        for slot in model.ownAttributes(of: entity) {
            let attribute = entity.attributes[slot]
            guard attribute.type == .string, attribute.serverTraits.contains(.foldedIndex),
                let column = layout.column(ofAttribute: slot, in: entity.number)
            else { continue }
            for folding in TextFolding.allCases {
                add(
                    ServerIndex(
                        name: "\(table)_\(column)_\(folding.letters)", table: table,
                        columns: [ServerIndex.Column(name: column, folding: folding), Self.key],
                        subject: ServerSubject(entity: entity.name, properties: [attribute.name])))
            }
        }
    }

    private func column(named name: String, of entity: CompiledEntity) -> String? {
        switch entity.slot(named: name) {
        case .attribute(let slot): layout.column(ofAttribute: slot, in: entity.number)
        case .relationship(let slot): layout.toOne(slot, in: entity.number)?.column
        case nil: nil
        }
    }
}
#endif
