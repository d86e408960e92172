import SwormPredicates

// Rows whose keys are known, in the order of the keys.
extension SQLCompiler {
    /// Returns a statement for the rows with the given keys, with the cells of a shape.
    func rows(inOrderOf keys: [Int64], shape: RowShape) -> CompiledStatement {
        let query = query(inOrderOf: keys, entity: shape.entity)
        return query.statement(selecting: columns(of: shape, alias: query.alias).joined(separator: ", "))
    }

    /// Returns a statement for the primary key and the given attributes of the rows with the given keys.
    ///
    /// - Parameter attributes: Slots in the fetched entity, or ``PseudoSlot``.
    func values(
        _ request: FetchSpecification, attributes: [Int], inOrderOf keys: [Int64]
    ) throws -> CompiledStatement {
        let query = query(inOrderOf: keys, entity: request.entity)
        var columns = [query.root.key]
        for slot in attributes { columns.append(try column(slot, of: request, alias: query.alias)) }
        return query.statement(selecting: columns.joined(separator: ", "))
    }

    /// Returns a statement for the keys of the rows that a request finds, in its order.
    func keys(_ request: FetchSpecification) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        try query.restrict(to: request)
        return query.statement(selecting: query.root.key)
    }

    /// Returns a statement for the rows of a request among the rows with the given keys, with the cells of a shape.
    func rows(_ request: FetchSpecification, among keys: [Int64], shape: RowShape) throws -> CompiledStatement {
        let query = QueryBuilder(self, entity: request.entity)
        query.conditions.append(.atom(dialect.isKey(query.root.key, inArray: keys, in: query)))
        try query.restrict(to: request)
        return query.statement(selecting: columns(of: shape, alias: query.alias).joined(separator: ", "))
    }

    private func query(inOrderOf keys: [Int64], entity: Int) -> QueryBuilder {
        let query = QueryBuilder(self, entity: entity) { query, table in
            let list = dialect.table(ofKeys: keys, in: query)
            return dialect.join(list, to: table, on: "\(query.root.key) = o.value")
        }
        query.orderings = ["o.key"]
        return query
    }
}
