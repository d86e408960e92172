import SwormPredicates

// The destinations of to-many relationships.
extension SQLCompiler {
    /// Returns a statement for the members of a to-many relationship of a list of owners.
    ///
    /// The columns are the owner's key, the member's entity number and key, and the order key (NULL if the
    /// relationship is not ordered). The rows are sorted by owner, then order key, then key.
    func members(ofRelationship slot: Int, in number: Int, owners: [Int64]) throws -> CompiledStatement {
        let source = try memberSource(ofRelationship: slot, in: number)
        let (test, binding) = dialect.keyTest(source.owner, among: owners)
        let number = entityNumber(of: source.entity, alias: "t0")
        let order = source.order ?? dialect.noOrderKey
        return CompiledStatement(
            sql:
                "SELECT \(source.owner), \(number), \(rootKey), \(order) FROM \(source.tables) WHERE \(test) ORDER BY \(sorting(source))",
            bindings: [binding])
    }

    /// Returns a statement for the members' rows. The columns are the cells of the shape, the owner's key, and the
    /// order key.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of rows.
    ///   - isSorted: Whether the rows are sorted by owner, then order key, then key.
    func memberRows(
        ofRelationship slot: Int, in number: Int, owners: [Int64], shape: RowShape, limit: Int, isSorted: Bool = true
    ) throws -> CompiledStatement {
        let source = try memberSource(ofRelationship: slot, in: number)
        let (test, binding) = dialect.keyTest(source.owner, among: owners)
        let cells = columns(of: shape, alias: "t0") + [source.owner, source.order ?? dialect.noOrderKey]
        let order = isSorted ? " ORDER BY \(sorting(source))" : ""
        return CompiledStatement(
            sql:
                "SELECT \(cells.joined(separator: ", ")) FROM \(source.tables) WHERE \(test)\(order) LIMIT \(dialect.parameter(2))",
            bindings: [binding, .int64(Int64(limit))])
    }

    /// Returns a statement for the rows of the members of all owners between two keys, in the order of the table. The
    /// columns are the cells of the shape, and the owner's key.
    ///
    /// Returns nil for ordered relationships, and for members that are found by a join table.
    func memberScan(
        ofRelationship slot: Int, in number: Int, owners: ClosedRange<Int64>, shape: RowShape
    ) throws -> CompiledStatement? {
        guard dialect.readsTablesAsTheyLie else { return nil }
        let source = try memberSource(ofRelationship: slot, in: number)
        guard !source.isJoined, source.order == nil else { return nil }
        let cells = columns(of: shape, alias: "t0") + [source.owner]
        // The unary plus keeps SQLite from using the index.
        return CompiledStatement(
            sql:
                "SELECT \(cells.joined(separator: ", ")) FROM \(source.tables) WHERE +\(source.owner) BETWEEN ?1 AND ?2",
            bindings: [.int64(owners.lowerBound), .int64(owners.upperBound)])
    }

    /// Returns a statement for the rows of a join table that refer to a missing object: the owner's key and the
    /// missing key. Returns nil for a relationship without a join table.
    func strayMembers(ofRelationship slot: Int, in number: Int) -> String? {
        guard case .join(let join)? = layout.toMany(slot, in: number) else { return nil }
        let table = table(of: model[number].relationships[slot].destination)
        let (own, other) = ("t1.\(quoted(join.ownColumn))", "t1.\(quoted(join.otherColumn))")
        let links = "\(source(of: join)) t1"
        return
            "SELECT \(own), \(other) FROM \(links) WHERE \(other) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(table) t0 WHERE \(rootKey) = \(other)) ORDER BY 1, 2"
    }

    /// The tables and columns in which the members of a to-many relationship are found.
    private struct MemberSource {
        /// The number of the members' entity.
        var entity: Int
        var tables: String
        var owner: String
        var order: String?
        var isJoined = false
    }

    /// Returns the sort order: by owner, then order key, then key.
    private func sorting(_ source: MemberSource) -> String {
        [source.owner, source.order.map { dialect.ordering($0) }, rootKey].compactMap { $0 }.joined(separator: ", ")
    }

    private func memberSource(ofRelationship slot: Int, in number: Int) throws -> MemberSource {
        let relationship = model[number].relationships[slot]
        guard let storage = layout.toMany(slot, in: number) else {
            throw QueryError.unsupported(
                "is not a stored to-many relationship", path: relationship.name, entity: model[number].name)
        }
        let table = table(of: relationship.destination)
        switch storage {
        case .inverse(let column, let order), .oneWay(let column, let order):
            return MemberSource(
                entity: relationship.destination, tables: "\(table) t0", owner: "t0.\(quoted(column))",
                order: order.map { "t0.\(quoted($0))" })
        case .join(let join):
            let link = "\(rootKey) = t1.\(quoted(join.otherColumn))"
            return MemberSource(
                entity: relationship.destination,
                tables: "\(source(of: join)) t1 JOIN \(table) t0 ON \(link)",
                owner: "t1.\(quoted(join.ownColumn))", order: join.orderColumn.map { "t1.\(quoted($0))" },
                isJoined: true)
        }
    }
}
