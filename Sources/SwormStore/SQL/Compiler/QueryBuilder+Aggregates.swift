import SwormPredicates

extension QueryBuilder {
    /// Returns an aggregate over the rows of a group.
    func aggregate(
        _ aggregate: RowAggregate, over operand: ExpressionTree?, in context: QueryContext
    ) throws -> QueryScalar {
        guard allowsAggregates else {
            throw QueryError.unsupported("An aggregate over rows cannot be used in a condition on single rows.")
        }
        let entity = model[root.entity].name
        guard let operand else {
            return QueryScalar(sql: "COUNT(*)", kind: .integer, path: "count", entity: entity)
        }
        // An aggregate of aggregates has no meaning.
        allowsAggregates = false
        defer { allowsAggregates = true }
        let value = try self.operand(operand, in: context)
        if aggregate == .count { return try count(over: value) }
        return try self.aggregate(aggregate, of: try scalar(value))
    }

    private func count(over value: QueryOperand) throws -> QueryScalar {
        let (path, entity) = describe(value)
        var result = QueryScalar(sql: "", kind: .integer, path: path, entity: entity)
        switch value {
        case .object(let object): result.sql = "COUNT(\(object.key))"
        case .collection(let collection) where !collection.hasKeys:
            result.sql = "COALESCE(SUM(\(try count(of: collection).sql)), 0)"
        default:
            let scalar = try scalar(value)
            result.sql = "COUNT(\(scalar.column ?? scalar.sql))"
        }
        return result
    }

    private func aggregate(_ aggregate: RowAggregate, of value: QueryScalar) throws -> QueryScalar {
        var kind = try kind(of: value)
        let isTotal = aggregate == .sum || aggregate == .average
        try value.typed.checkAggregate(aggregate.rawValue, isTotal: isTotal)
        var result = value
        result.column = nil
        result.isWide = value.isWide || isTotal
        switch aggregate {
        case .count: break
        case .sum where kind == .decimal: result.setDecimal(DecimalFunction.sum(of: value))
        case .minimum where kind == .decimal: result.setDecimal(DecimalFunction.minimum(of: value))
        case .maximum where kind == .decimal: result.setDecimal(DecimalFunction.maximum(of: value))
        case .minimum: result.sql = "MIN(\(value.sql))"
        case .maximum: result.sql = "MAX(\(value.sql))"
        case .sum:
            result.sql = sum(of: value, followedBy: "", empty: "0")
            // An empty total is the integer 0 even if the values are reals.
            kind = value.isInteger ? .integer : .number
        case .average:
            result.sql = "AVG(\(kind == .decimal ? "CAST(\(value.column ?? value.sql) AS REAL)" : value.sql))"
            kind = .real
        }
        result.kind = kind
        return result
    }
}
