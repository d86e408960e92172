public import Foundation
import SwormPredicates

// Foundation's own initializer of comparisons is unavailable on this platform.
extension NSCopying where Self == NSComparisonPredicate {
    /// Creates a comparison of two expressions.
    ///
    /// An error in the format of an expression, and an operator that is not supported, are reported by the request that uses
    /// the predicate.
    ///
    /// - Parameters:
    ///   - lhs: The left side.
    ///   - rhs: The right side.
    ///   - modifier: Whether any or all values on the left side have to satisfy the comparison, which then lead through a to-many
    ///     relationship.
    ///   - type: The operator.
    ///   - options: The differences between strings that are ignored.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: _FoundationNames.Modifier,
        type: _FoundationNames.Operator, options: _FoundationNames.Options = []
    ) {
        let tree = Result<PredicateTree, any Error> {
            guard let comparator = comparator(type) else {
                throw QueryError(.unsupported, "a comparison by the operator \(type.rawValue) is not supported")
            }
            let quantifier: Quantifier =
                switch modifier {
                case .all: .all
                case .any: .any
                default: .direct
                }
            let comparison = Comparison(
                try lhs.tree(), by: comparator, with: try rhs.tree(), options: ComparisonOptions(options),
                quantifier: quantifier)
            if let problem = comparison.problem {
                throw QueryError(problem.code, "\(problem.message): `\(PredicateTree.comparison(comparison).format)`")
            }
            return .comparison(comparison)
        }
        self = NSComparisonPredicate.make(ObjectPredicate(tree))
    }

    private var comparison: Comparison? {
        guard case .comparison(let comparison)? = try? tree() else { return nil }
        return comparison
    }

    /// The left side.
    public var leftExpression: NSExpression { NSExpression.make(comparison?.left ?? .value(.null)) }

    /// The right side.
    public var rightExpression: NSExpression { NSExpression.make(comparison?.right ?? .value(.null)) }

    /// Whether any or all values on the left side have to satisfy the comparison.
    public var comparisonPredicateModifier: _FoundationNames.Modifier {
        switch comparison?.quantifier {
        case .any: .any
        case .all: .all
        case .direct, nil: .direct
        }
    }

    /// The operator.
    public var predicateOperatorType: _FoundationNames.Operator {
        operators.first { $0.comparator == comparison?.comparator }?.type ?? .equalTo
    }

    /// The differences between strings that are ignored.
    public var options: _FoundationNames.Options {
        _FoundationNames.Options(rawValue: UInt(comparison?.options.rawValue ?? 0) & 7)
    }
}

extension ComparisonOptions {
    /// Creates the options of a comparison of Foundation's.
    fileprivate init(_ options: _FoundationNames.Options) {
        self.init(rawValue: UInt8(truncatingIfNeeded: options.rawValue & 7))
    }
}

private func comparator(_ type: _FoundationNames.Operator) -> SwormPredicates.Comparator? {
    operators.first { $0.type == type }?.comparator
}

private var operators: [(type: _FoundationNames.Operator, comparator: SwormPredicates.Comparator)] {
    [
        (.lessThan, .less), (.lessThanOrEqualTo, .lessOrEqual), (.greaterThan, .greater),
        (.greaterThanOrEqualTo, .greaterOrEqual), (.equalTo, .equal), (.notEqualTo, .notEqual), (.matches, .matches),
        (.like, .like), (.beginsWith, .beginsWith), (.endsWith, .endsWith), (.in, .in), (.contains, .contains),
        (.between, .between),
    ]
}
