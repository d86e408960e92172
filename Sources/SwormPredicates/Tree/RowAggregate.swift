/// What makes one value of many rows.
package enum RowAggregate: String, Sendable, Hashable, CaseIterable {
    case count, sum, average
    case minimum = "min"
    case maximum = "max"
}

extension ExpressionTree {
    /// A function name that no text can call.
    private static let prefix = "rows."

    /// An aggregate over rows; without an operand, over the rows themselves.
    ///
    /// It is a function with a name of its own, so that everything that walks through trees knows it already. Only a
    /// ``ProjectionTree`` gives it a meaning.
    package static func aggregate(_ aggregate: RowAggregate, _ operand: ExpressionTree? = nil) -> ExpressionTree {
        .function(prefix + aggregate.rawValue, operand.map { [$0] } ?? [])
    }

    /// The parts of an aggregate over rows; nil for any other expression.
    package var rowAggregate: (aggregate: RowAggregate, operand: ExpressionTree?)? {
        guard case .function(let name, let operands) = self, name.hasPrefix(Self.prefix),
            let aggregate = RowAggregate(rawValue: String(name.dropFirst(Self.prefix.count)))
        else { return nil }
        return (aggregate, operands.first)
    }
}
