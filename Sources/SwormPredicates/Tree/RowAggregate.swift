/// A function that aggregates many rows into one value.
package enum RowAggregate: String, Sendable, Hashable, CaseIterable {
    case count, sum, average
    case minimum = "min"
    case maximum = "max"
}

extension ExpressionTree {
    /// The prefix of a function name that no text can call.
    private static let prefix = "rows."

    /// Returns an aggregate over rows, or over the rows themselves if there is no operand.
    ///
    /// The aggregate is a function with a special name, so that all code that traverses trees already supports it. It
    /// only has a meaning in a ``ProjectionTree``.
    package static func aggregate(_ aggregate: RowAggregate, of operand: ExpressionTree? = nil) -> ExpressionTree {
        .function(prefix + aggregate.rawValue, operand.map { [$0] } ?? [])
    }

    /// The parts of an aggregate over rows, or nil for any other expression.
    package var rowAggregate: (aggregate: RowAggregate, operand: ExpressionTree?)? {
        guard case .function(let name, let operands) = self, name.hasPrefix(Self.prefix),
            let aggregate = RowAggregate(rawValue: String(name.dropFirst(Self.prefix.count)))
        else { return nil }
        return (aggregate, operands.first)
    }
}
