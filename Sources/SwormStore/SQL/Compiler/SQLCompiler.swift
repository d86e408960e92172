import SwormPredicates

/// A compiler that turns requests into SQL text and values to bind, using only the model, the layout and the request.
///
/// Every statement has the primary key as its last sort key, so that paging and repeated fetches return the same
/// order. A statement can call functions that the connection must define: `SwormFold(text, flags)`,
/// `SwormLike(pattern, text, flags)`, `SwormMatches(pattern, text, flags)`, `SwormSearch(part, text, place, flags)` (0
/// is the start, 1 the end, 2 anywhere), `SwormPower(a, b)`, `SwormXor(a, b)`, `SwormUpper(text)`, `SwormLower(text)`
/// and one for each function of a number (`SwormSqrt(a)`). The flags are the raw value of ``ComparisonOptions``. Each
/// function returns NULL if an argument is NULL. `[l]` sorts by the collation `SwormLocale`, and by
/// `SwormStandard` where digits are ordered as numbers.
final class SQLCompiler: Sendable {
    let model: CompiledModel
    let layout: StoreLayout
    /// The identifier of the store. Objects of other stores never equal one of its rows.
    let storeIdentifier: String

    init(model: CompiledModel, layout: StoreLayout, storeIdentifier: String) {
        self.model = model
        self.layout = layout
        self.storeIdentifier = storeIdentifier
    }

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
        return query.statement(selecting: "\(query.alias).Z_ENT, \(query.alias).Z_PK")
    }

    /// Returns a statement for the number of objects that a fetch finds. Its limit and offset apply.
    func count(_ request: FetchSpecification) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        var unsorted = request
        unsorted.sorts = []
        try query.restrict(to: unsorted, sorted: false)
        guard request.limit > 0 || request.offset > 0 else { return query.statement(selecting: "COUNT(*)") }
        let rows = query.statement(selecting: "1")
        return CompiledStatement(sql: "SELECT COUNT(*) FROM (\(rows.sql))", bindings: rows.bindings)
    }

    /// Returns a statement for the primary key followed by the given attributes, by their slots in the fetched entity, or
    /// ``PseudoSlot``.
    ///
    /// - Throws: An error if an attribute is transient, because it has no column.
    func values(_ request: FetchSpecification, attributes: [Int]) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        var columns = ["\(query.alias).Z_PK"]
        for slot in attributes { columns.append(try column(slot, of: request, alias: query.alias)) }
        try query.restrict(to: request)
        return query.statement(selecting: columns.joined(separator: ", "))
    }

    /// Returns the SQL of an attribute's column, or of that of a ``PseudoSlot``.
    ///
    /// - Throws: An error if the attribute is transient.
    func column(_ slot: Int, of request: FetchSpecification, alias: String) throws -> String {
        if let name = PseudoSlot.column(slot) { return "IFNULL(\(alias).\(name), 0)" }
        if let link = PseudoSlot.link(slot) {
            guard let toOne = layout.toOne(link.slot, in: link.entity) else {
                let entity = model[link.entity]
                throw QueryError.transient(entity.relationships[link.slot].name, entity: entity.name)
            }
            return "IFNULL(\(alias).\(SQLName.quoted(toOne.column)), 0)"
        }
        let place = PseudoSlot.place(slot, fetching: request.entity)
        guard let column = layout.column(ofAttribute: place.slot, in: place.entity) else {
            let entity = model[place.entity]
            throw QueryError.transient(entity.attributes[place.slot].name, entity: entity.name)
        }
        return "\(alias).\(SQLName.quoted(column))"
    }

    // MARK: Known keys

    /// Returns a statement for the rows with the given primary keys, in the order of the keys. Its text is the same
    /// for every number of keys above one.
    func rows(withKeys keys: [Int64], shape: RowShape) -> CompiledStatement {
        let entity = model[shape.entity]
        let table = SQLName.quoted(layout.table(of: entity))
        let select = "SELECT \(columns(of: shape, alias: "t0").joined(separator: ", ")) FROM \(table) t0"
        let (test, binding) = Self.keyTest("t0.Z_PK", in: keys)
        let conditions = [test] + (entityRestriction(of: entity, including: true, alias: "t0").map { [$0] } ?? [])
        return CompiledStatement(
            sql: "\(select) WHERE \(conditions.joined(separator: " AND ")) ORDER BY t0.Z_PK", bindings: [binding])
    }

    static func keyTest(_ column: String, in keys: [Int64]) -> (String, SQLBinding) {
        if keys.count == 1 { return ("\(column) = ?1", .int64(keys[0])) }
        return ("\(column) IN (SELECT value FROM json_each(?1))", .text(JSONText.array(of: keys)))
    }

    // MARK: Parts

    func columns(of shape: RowShape, alias: String) -> [String] {
        shape.cells.map { cell in
            let name: String? =
                switch cell {
                case .primaryKey: "Z_PK"
                case .entity: "Z_ENT"
                case .version: "Z_OPT"
                case .attribute(let entity, let slot): layout.column(ofAttribute: slot, in: entity)
                case .toOneKey(let entity, let slot): layout.toOne(slot, in: entity)?.column
                case .toOneEntity(let entity, let slot): layout.toOne(slot, in: entity)?.entityColumn
                }
            // An attribute of a type without storage has a cell that is always empty.
            return name.map { "\(alias).\(SQLName.quoted($0))" } ?? "NULL"
        }
    }

    /// Returns the condition that excludes the rows of other entities in the same table, or nil if the whole table
    /// qualifies.
    func entityRestriction(of entity: CompiledEntity, including subentities: Bool, alias: String) -> String? {
        if entity.root == entity.number, subentities || !entity.hasDescendants { return nil }
        if !subentities || !entity.hasDescendants { return "\(alias).Z_ENT = \(entity.number)" }
        return "\(alias).Z_ENT BETWEEN \(entity.family.lowerBound) AND \(entity.family.upperBound)"
    }
}

extension StoreLayout.Join {
    /// The table in the form in which a FROM clause names it.
    ///
    /// A pair of a reflexive relationship can be stored in one direction or in both; reading the table in both
    /// directions gives the same result either way. An ordered relationship needs one row for each direction, so the
    /// table is read as it is.
    var source: String {
        let table = SQLName.quoted(self.table)
        guard isReflexive, orderColumn == nil else { return table }
        let (own, other) = (SQLName.quoted(ownColumn), SQLName.quoted(otherColumn))
        return "(SELECT \(own), \(other) FROM \(table) UNION SELECT \(other), \(own) FROM \(table))"
    }
}
