extension ExpressionTree {
    /// Returns the expression with its functions of a collection as aggregates over rows: `max:(year)`, and `@max.year`
    /// at the beginning of a path.
    package func aggregatingRows() -> ExpressionTree {
        switch self {
        case .function(let name, let operands):
            guard operands.count == 1, let aggregate = RowAggregate(rawValue: name) else {
                return .function(name, operands.map { $0.aggregatingRows() })
            }
            return .aggregate(aggregate, of: operands[0])
        case .key:
            guard let keys = pathKeys, let first = keys.first, let aggregate = RowAggregate(operator: first) else {
                return self
            }
            return .aggregate(aggregate, of: keys.count > 1 ? .path(Array(keys.dropFirst())) : .evaluatedObject)
        case .binary(let sign, let left, let right):
            return .binary(sign, left.aggregatingRows(), right.aggregatingRows())
        case .negate(let operand): return .negate(operand.aggregatingRows())
        case .cast(let operand, let type): return .cast(operand.aggregatingRows(), type)
        case .conditional(let condition, let yes, let no):
            return .conditional(condition, yes.aggregatingRows(), no.aggregatingRows())
        case .value, .list, .evaluatedObject, .variable, .index, .subquery, .set: return self
        }
    }

    /// The name of a function of a collection that is not an aggregate over rows, such as `median`; nil if the
    /// expression calls none.
    package var unsupportedAggregate: String? {
        switch self {
        case .function(let name, let operands):
            if PredicateFunction(rawValue: name)?.isAggregate == true { return name }
            return operands.lazy.compactMap(\.unsupportedAggregate).first
        case .binary(_, let left, let right): return left.unsupportedAggregate ?? right.unsupportedAggregate
        case .negate(let operand), .cast(let operand, _): return operand.unsupportedAggregate
        case .conditional(_, let yes, let no): return yes.unsupportedAggregate ?? no.unsupportedAggregate
        case .value, .list, .evaluatedObject, .variable, .key, .index, .subquery, .set: return nil
        }
    }
}

extension RowAggregate {
    /// Creates the aggregate of a collection operator.
    fileprivate init?(operator key: String) {
        switch key {
        case "@count": self = .count
        case "@sum": self = .sum
        case "@avg": self = .average
        case "@min": self = .minimum
        case "@max": self = .maximum
        default: return nil
        }
    }
}
