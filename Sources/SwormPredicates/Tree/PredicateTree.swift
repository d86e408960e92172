/// A predicate as a tree: the meaning of a format string, before it is evaluated in memory or compiled to SQL.
///
/// An empty `and` is true and an empty `or` is false.
package indirect enum PredicateTree: Sendable, Hashable {
    case constant(Bool)
    case and([PredicateTree])
    case or([PredicateTree])
    case not(PredicateTree)
    case comparison(Comparison)
}

/// A comparison of two expressions.
package struct Comparison: Sendable, Hashable {
    package var quantifier: Quantifier
    package var left: ExpressionTree
    package var comparator: Comparator
    package var options: ComparisonOptions
    package var right: ExpressionTree

    package init(
        _ left: ExpressionTree, by comparator: Comparator, with right: ExpressionTree, options: ComparisonOptions = [],
        quantifier: Quantifier = .direct
    ) {
        self.quantifier = quantifier
        self.left = left
        self.comparator = comparator
        self.options = options
        self.right = right
    }
}

/// The handling of a path through a to-many relationship in a comparison. `NONE p` is `NOT (ANY p)`.
package enum Quantifier: Sendable, Hashable {
    case direct, any, all
}

/// The operator of a comparison.
package enum Comparator: Sendable, Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case between, `in`, contains, beginsWith, endsWith, like, matches
    /// Equality with Swift's semantics: nil equals nil, and nil differs from every value.
    case identical, notIdentical
}

/// The options in brackets after an operator.
package struct ComparisonOptions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `[c]`
    package static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `[d]`
    package static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `[n]`: the strings are already normalized, so their bytes are compared.
    package static let normalized = ComparisonOptions(rawValue: 4)
    /// `[l]`
    package static let localeSensitive = ComparisonOptions(rawValue: 8)
    /// The options of the function `canonical:`.
    package static let canonical: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive]
    /// Digits in strings are ordered as numbers. Sort orders have this option; the language has no letter for it.
    package static let numeric = ComparisonOptions(rawValue: 16)
}
