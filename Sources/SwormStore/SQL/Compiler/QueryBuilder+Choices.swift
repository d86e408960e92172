import SwormPredicates

// Comparisons of a value that TERNARY chooses. One expression has one type in SQL, and a decimal that becomes a real may lose
// digits, by which it differs in memory.
extension QueryBuilder {
    /// Returns the condition for a comparison with a value that is a decimal or another number: that for each of the two values.
    ///
    /// The value can be an item of a list, such as a bound of BETWEEN.
    ///
    /// - Parameter source: The comparison of the predicate.
    /// - Returns: Nil for other comparisons.
    func choice(
        _ comparison: Comparison, of source: Comparison, in context: QueryContext, exact: Bool
    ) throws -> QueryCondition? {
        for side in [\Comparison.left, \Comparison.right] {
            guard let (test, yes, no) = try choice(of: comparison[keyPath: side], in: context) else { continue }
            var (first, second) = (comparison, comparison)
            first[keyPath: side] = yes
            second[keyPath: side] = no
            let condition = try condition(test, in: context, exact: false)
            let one = try descend { try self.condition(first, of: source, in: context, exact: exact) }
            let other = try descend { try self.condition(second, of: source, in: context, exact: exact) }
            if case .constant(let value) = condition { return value ? one : other }
            return .atom(try choice(condition, then: one.text(in: dialect), else: other.text(in: dialect)))
        }
        return nil
    }

    /// Returns a condition by which an operand is a decimal or another number, and the operand for each of its results.
    private func choice(
        of expression: ExpressionTree, in context: QueryContext
    ) throws -> (test: PredicateTree, yes: ExpressionTree, no: ExpressionTree)? {
        switch expression {
        case .conditional(let test, let yes, let no):
            return try mixesDecimals([yes, no], in: context) ? (test, yes, no) : nil
        case .list(let items):
            for (index, item) in items.enumerated() {
                guard case .conditional = item, let (test, yes, no) = try choice(of: item, in: context) else {
                    continue
                }
                let (before, after) = (items[..<index], items[(index + 1)...])
                return (test, .list(before + [yes] + after), .list(before + [no] + after))
            }
            return nil
        default: return nil
        }
    }

    /// Returns the SQL of a value that a condition chooses.
    func choice(_ condition: QueryCondition, then yes: String, else no: String) throws -> String {
        let text = "(CASE WHEN \(condition.text(in: dialect)) THEN \(yes) ELSE \(no) END)"
        // Some comparisons repeat their operands, so each nested TERNARY doubles the length of the text.
        guard text.utf8.count <= Self.longestChoice else {
            throw QueryError.unsupported("TERNARY is nested too deeply: its SQL has \(text.utf8.count) bytes.")
        }
        return text
    }

    private static let longestChoice = 500_000

    /// Whether the values are decimals as well as numbers of other kinds.
    private func mixesDecimals(_ expressions: [ExpressionTree], in context: QueryContext) throws -> Bool {
        var (hasDecimal, hasOther) = (false, false)
        var pending = expressions
        while let expression = pending.popLast() {
            if case .conditional(_, let yes, let no) = expression {
                pending += [yes, no]
                continue
            }
            let kind: ValueKind? =
                switch try operand(expression, in: context) {
                case .scalar(let scalar): scalar.kind
                case .constant(let value): value.valueKind
                case .count: .integer
                case .aggregate(let function, let collection): try aggregate(function, of: collection).kind
                default: nil
                }
            hasDecimal = hasDecimal || kind == .decimal
            hasOther = hasOther || kind?.isNumber ?? false && kind != .decimal
        }
        return hasDecimal && hasOther
    }
}
