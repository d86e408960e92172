/// An expression inside a predicate.
package indirect enum ExpressionTree: Sendable, Hashable {
    case value(AttributeValue)
    case list([ExpressionTree])
    /// The object (or plain value) for which the predicate is evaluated.
    case evaluatedObject
    case variable(String)
    /// A step of a key path. A collection operator is a step named `@count`, `@sum`, ...
    case key(ExpressionTree, String)
    case index(ExpressionTree, Subscript)
    case binary(BinaryOperator, ExpressionTree, ExpressionTree)
    case negate(ExpressionTree)
    case function(String, [ExpressionTree])
    case cast(ExpressionTree, String)
    case subquery(ExpressionTree, String, PredicateTree)
    case conditional(PredicateTree, ExpressionTree, ExpressionTree)
    case set(SetOperator, ExpressionTree, ExpressionTree)
}

/// The content of the brackets of `x[...]`.
package indirect enum Subscript: Sendable, Hashable {
    case first, last, size
    case expression(ExpressionTree)
}

/// The arithmetic and bitwise operators.
package enum BinaryOperator: String, Sendable, Hashable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case power = "**"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
}

/// The set operators.
package enum SetOperator: String, Sendable, Hashable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
}

extension ExpressionTree {
    /// Returns the expression for a key path from the evaluated object.
    package static func path(_ keys: [String]) -> ExpressionTree {
        keys.reduce(.evaluatedObject) { .key($0, $1) }
    }

    /// The keys of a plain path from the evaluated object, or nil for any other expression.
    package var pathKeys: [String]? {
        var keys: [String] = []
        var current = self
        while case .key(let base, let key) = current {
            keys.append(key)
            current = base
        }
        guard case .evaluatedObject = current else { return nil }
        return keys.reversed()
    }

    /// The number of keys at the end of the expression. Each of them is a level of the tree.
    package var keyCount: Int {
        var count = 0
        var current = self
        while case .key(let base, _) = current {
            count += 1
            current = base
        }
        return count
    }

    /// Whether the expression is a key path that ends with the name of a property.
    package var isPropertyPath: Bool {
        guard case .key(_, let key) = self else { return false }
        return !key.hasPrefix("@") && !["self", "SELF", "length"].contains(key)
    }
}
