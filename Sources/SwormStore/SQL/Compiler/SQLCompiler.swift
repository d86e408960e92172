import SwormPredicates

/// A compiler that turns requests into SQL text and values to bind, using only the model, the layout and the request.
///
/// Every statement has the primary key as its last sort key, so that paging and repeated fetches return the same
/// order. A statement of SQLite can call functions that the connection must define: `SwormFold(text, flags)`,
/// `SwormLike(pattern, text, flags)`, `SwormMatches(pattern, text, flags)`, `SwormSearch(part, text, place, flags)` (0
/// is the start, 1 the end, 2 anywhere), `SwormPower(a, b)`, `SwormXor(a, b)`, `SwormUpper(text)`, `SwormLower(text)`
/// and one for each function of a number (`SwormSqrt(a)`). The flags are the raw value of ``ComparisonOptions``. Each
/// function returns NULL if an argument is NULL. `[l]` sorts by the collation `SwormLocale`, and by
/// `SwormStandard` where digits are ordered as numbers. A statement of PostgreSQL can call the store's functions
/// `_sworm_fold1_c`, `_sworm_fold1_d` and `_sworm_fold1_cd`, and throws ``NotExact`` if it would need any other one.
final class SQLCompiler: Sendable {
    let model: CompiledModel
    let layout: StoreLayout
    let dialect: SQLDialect
    /// The identifier of the store. Objects of other stores never equal one of its rows.
    let storeIdentifier: String
    /// The schema of the store's tables and functions, as SQL text writes it before a name. Empty in a file.
    let schema: String
    /// The columns that are not the model's.
    let system: SystemColumns
    /// The primary key of the first table of a statement.
    let rootKey: String
    /// The tables as a FROM clause names them, by entity number (index `number - 1`).
    private let tables: [String]

    init(model: CompiledModel, layout: StoreLayout, storeIdentifier: String, dialect: SQLDialect = .sqlite) {
        self.model = model
        self.layout = layout
        self.dialect = dialect
        self.storeIdentifier = storeIdentifier
        let schema = layout.server.map { SQLName.alwaysQuoted($0.schema) + "." } ?? ""
        self.schema = schema
        system = layout.system
        rootKey = "t0." + layout.system.key
        tables = model.entities.map { schema + dialect.quoted(layout.table(of: $0)) }
    }

    /// Returns the table of an entity's hierarchy, as a FROM clause names it.
    func table(of entity: Int) -> String { tables[entity - 1] }

    /// Returns the name of a column as SQL text writes it.
    func quoted(_ column: String) -> String { dialect.quoted(column) }

    // MARK: Fetches

    /// Returns a statement for the rows of a fetch, with the cells of a shape in the shape's order.
    func rows(_ request: FetchSpecification, shape: RowShape) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        try query.restrict(to: request)
        return query.statement(selecting: columns(of: shape, alias: query.alias).joined(separator: ", "))
    }

    /// Returns a statement for the identities that a fetch finds: the entity number and the primary key.
    func identities(_ request: FetchSpecification) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        try query.restrict(to: request)
        return query.statement(
            selecting: "\(entityNumber(of: request.entity, alias: query.alias)), \(query.root.key)")
    }

    /// Returns a statement for the number of objects that a fetch finds. Its limit and offset apply.
    func count(_ request: FetchSpecification) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        var unsorted = request
        unsorted.sorts = []
        try query.restrict(to: unsorted, sorted: false)
        guard request.limit > 0 || request.offset > 0 else { return query.statement(selecting: "COUNT(*)") }
        let rows = query.statement(selecting: "1")
        return CompiledStatement(
            sql: "SELECT COUNT(*) FROM \(dialect.table(selecting: rows.sql))", bindings: rows.bindings)
    }

    /// Returns a statement for the primary key followed by the given attributes, by their slots in the fetched entity,
    /// or ``PseudoSlot``.
    ///
    /// - Throws: An error if an attribute is transient, because it has no column.
    func values(_ request: FetchSpecification, attributes: [Int]) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        var columns = [query.root.key]
        for slot in attributes { columns.append(try column(slot, of: request, alias: query.alias)) }
        try query.restrict(to: request)
        return query.statement(selecting: columns.joined(separator: ", "))
    }

    /// Returns the SQL of an attribute's column, or of that of a ``PseudoSlot``.
    ///
    /// - Throws: An error if the attribute is transient.
    func column(_ slot: Int, of request: FetchSpecification, alias: String) throws -> String {
        if slot == PseudoSlot.version { return dialect.orZero("\(alias).\(system.version)") }
        if slot == PseudoSlot.entity { return dialect.orZero(entityNumber(of: request.entity, alias: alias)) }
        if let link = PseudoSlot.link(slot) {
            guard let toOne = layout.toOne(link.slot, in: link.entity) else {
                let entity = model[link.entity]
                throw QueryError.transient(entity.relationships[link.slot].name, entity: entity.name)
            }
            return dialect.orZero("\(alias).\(quoted(toOne.column))")
        }
        let place = PseudoSlot.place(slot, fetching: request.entity)
        guard let column = layout.column(ofAttribute: place.slot, in: place.entity) else {
            let entity = model[place.entity]
            throw QueryError.transient(entity.attributes[place.slot].name, entity: entity.name)
        }
        return "\(alias).\(quoted(column))"
    }

    // MARK: Known keys

    /// Returns a statement for the rows with the given primary keys, in the order of the keys. Its text is the same
    /// for every number of keys above one.
    func rows(withKeys keys: [Int64], shape: RowShape) -> CompiledStatement {
        let entity = model[shape.entity]
        let columns = columns(of: shape, alias: "t0").joined(separator: ", ")
        let select = "SELECT \(columns) FROM \(table(of: shape.entity)) t0"
        let (test, binding) = dialect.keyTest(rootKey, among: keys)
        let conditions = [test] + (entityRestriction(of: entity, including: true, alias: "t0").map { [$0] } ?? [])
        return CompiledStatement(
            sql: "\(select) WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(rootKey)", bindings: [binding])
    }

    // MARK: Parts

    /// Returns the SQL of the cells of a shape. On a server, the cell of external data has their length.
    func columns(of shape: RowShape, alias: String) -> [String] {
        shape.cells.map { cell in
            switch cell {
            case .primaryKey: return "\(alias).\(system.key)"
            case .entity: return entityNumber(of: shape.entity, alias: alias)
            case .version: return "\(alias).\(system.version)"
            case .attribute(let entity, let slot):
                // An attribute of a type without storage has a cell that is always empty.
                guard let column = layout.column(ofAttribute: slot, in: entity) else { return "NULL" }
                let text = "\(alias).\(quoted(column))"
                guard dialect.hasLengthsOfExternalData, model[entity].traits[slot].allowsExternalStorage else {
                    return text
                }
                return "octet_length(\(text))"
            case .toOneKey(let entity, let slot):
                return layout.toOne(slot, in: entity).map { "\(alias).\(quoted($0.column))" } ?? "NULL"
            case .toOneEntity(let entity, let slot):
                guard let toOne = layout.toOne(slot, in: entity) else { return "NULL" }
                if let column = toOne.entityColumn { return "\(alias).\(quoted(column))" }
                return destinationNumber(slot, of: entity, key: "\(alias).\(quoted(toOne.column))")
            }
        }
    }

    /// Returns the SQL of the number of a row's entity in the model. Tables with the rows of one entity may have no
    /// column for it; the alias is not needed then.
    func entityNumber(of entity: Int, alias: @autoclosure () -> String) -> String {
        guard layout.numbersAllTables || model[model[entity].root].hasDescendants else {
            return dialect.entityNumber(entity)
        }
        return modelNumber("\(alias()).\(system.entity)", of: entity)
    }

    /// Returns the SQL of the model's number for a number in a column of the store. If the numbers of the hierarchy
    /// differ, a number that the model does not know becomes negative, so that no row gets another entity.
    private func modelNumber(_ column: String, of entity: Int) -> String {
        let family = model[model[entity].root].family
        guard layout.server != nil, family.contains(where: { layout.storedNumber(of: $0) != $0 }) else {
            return column
        }
        let cases = family.map { "WHEN \(layout.storedNumber(of: $0)) THEN \($0)" }.joined(separator: " ")
        return "CASE \(column) \(cases) ELSE -\(column) END"
    }

    /// Returns the SQL of the entity number of a to-one relationship's destination, in a layout without a column for
    /// it.
    private func destinationNumber(_ slot: Int, of entity: Int, key: String) -> String {
        guard !layout.numbersAllTables else { return "NULL" }
        let destination = model[entity].relationships[slot].destination
        let number = modelNumber("d.\(system.entity)", of: destination)
        return "(SELECT \(number) FROM \(table(of: destination)) d WHERE d.\(system.key) = \(key))"
    }

    /// Returns the condition that excludes the rows of other entities in the same table, or nil if the whole table
    /// qualifies.
    func entityRestriction(of entity: CompiledEntity, including subentities: Bool, alias: String) -> String? {
        if entity.root == entity.number, subentities || !entity.hasDescendants { return nil }
        let family = subentities ? entity.family : entity.number...entity.number
        return dialect.isEntity("\(alias).\(system.entity)", among: family, numberedBy: { layout.storedNumber(of: $0) })
    }

    /// Returns a join table in the form in which a FROM clause names it.
    func source(of join: StoreLayout.Join) -> String { join.source(in: dialect, schema: schema) }
}

extension StoreLayout.Join {
    /// The table of a file in the form in which a FROM clause names it.
    var source: String { source(in: .sqlite, schema: "") }

    /// Returns the table in the form in which a FROM clause names it.
    ///
    /// A pair of a reflexive relationship can be stored in one direction or in both; reading the table in both
    /// directions gives the same result either way. An ordered relationship needs one row for each direction, so the
    /// table is read as it is.
    fileprivate func source(in dialect: SQLDialect, schema: String) -> String {
        let table = schema + dialect.quoted(self.table)
        guard isReflexive, orderColumn == nil else { return table }
        let (own, other) = (dialect.quoted(ownColumn), dialect.quoted(otherColumn))
        return "(SELECT \(own), \(other) FROM \(table) UNION SELECT \(other), \(own) FROM \(table))"
    }
}
