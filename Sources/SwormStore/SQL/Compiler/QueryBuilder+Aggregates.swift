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
            result.form = dialect.form(of: .sum, of: result)
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
        result.constant = nil
        result.isWide = value.isWide || isTotal && dialect.isWide(sumOf: value)
        switch aggregate {
        case .count: break
        case .sum where kind == .decimal: dialect.setDecimal(dialect.decimalSum(of: value), of: &result)
        case .minimum where kind == .decimal, .maximum where kind == .decimal:
            let extreme = dialect.decimalExtreme(of: value, isLargest: aggregate == .maximum)
            dialect.setDecimal(extreme, of: &result)
        case .minimum, .maximum:
            result.sql = try dialect.extreme(of: value, isLargest: aggregate == .maximum)
        case .sum:
            result.sql = try dialect.sum(of: value)
            result.form = dialect.form(of: .sum, of: value)
            // An empty total is the integer 0 even if the values are reals.
            kind = value.isInteger ? .integer : .number
        case .average:
            result.sql = try dialect.average(of: value)
            result.form = .number
            kind = .real
        }
        result.kind = kind
        return result
    }
}
