import Foundation
import SwormPredicates
import SwormStore

extension ValidationRule: ErrorAttachment {
    func userInfo(findingObjectsIn finder: (any ErrorObjectFinder)?) -> [String: Any] {
        [NSValidationPredicateErrorKey: predicate]
    }
}

extension ValidationRule {
    /// Creates the rule of a predicate over a value: one of the plain rules if they are equivalent, so that errors can
    /// name the limit.
    ///
    /// - Throws: The error in the predicate's format.
    init(_ predicate: NSPredicate) throws {
        let tree = try predicate.tree()
        self = Self.plain(tree) ?? .predicate(tree, text: tree.format)
    }

    private static func plain(_ tree: PredicateTree) -> ValidationRule? {
        guard case .comparison(let comparison) = tree, comparison.quantifier == .direct, comparison.options.isEmpty,
            case .value(let bound) = comparison.right
        else { return nil }
        let isLength = comparison.left.pathKeys == ["length"]
        guard comparison.left == .evaluatedObject || isLength else { return nil }
        switch (comparison.comparator, bound, isLength) {
        case (.greaterOrEqual, .int(let number), true): return Int(exactly: number).map { .minimumLength($0) }
        case (.lessOrEqual, .int(let number), true): return Int(exactly: number).map { .maximumLength($0) }
        case (.greaterOrEqual, _, false) where isOrdered(bound): return .minimum(bound)
        case (.lessOrEqual, _, false) where isOrdered(bound): return .maximum(bound)
        case (.matches, .string(let pattern), false): return .pattern(pattern)
        default: return nil
        }
    }

    private static func isOrdered(_ value: AttributeValue) -> Bool {
        switch value {
        case .int, .double, .decimal, .date: true
        default: false
        }
    }

    /// The rule as a predicate over the value.
    var predicate: NSPredicate {
        func compare(
            _ left: ExpressionTree, by comparator: SwormPredicates.Comparator, with right: AttributeValue
        ) -> NSPredicate {
            FormatPredicate(tree: .comparison(Comparison(left, by: comparator, with: .value(right))))
        }
        let length = ExpressionTree.path(["length"])
        return switch self {
        case .minimum(let bound): compare(.evaluatedObject, by: .greaterOrEqual, with: bound)
        case .maximum(let bound): compare(.evaluatedObject, by: .lessOrEqual, with: bound)
        case .minimumLength(let count): compare(length, by: .greaterOrEqual, with: .int(Int64(count)))
        case .maximumLength(let count): compare(length, by: .lessOrEqual, with: .int(Int64(count)))
        case .pattern(let pattern): compare(.evaluatedObject, by: .matches, with: .string(pattern))
        case .predicate(let tree, _): FormatPredicate(tree: tree)
        }
    }
}
