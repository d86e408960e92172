import Foundation
import SwormPredicates

extension PredicateExpressions.Equal: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (left, right) = (try translator.operand(lhs), try translator.operand(rhs))
        return try translator.folded(self, parts: left, right) ?? .boolean(translator.equality(left, right))
    }
}

extension PredicateExpressions.NotEqual: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (left, right) = (try translator.operand(lhs), try translator.operand(rhs))
        return try translator.folded(self, parts: left, right) ?? .boolean(translator.inequality(left, right))
    }
}

extension PredicateExpressions.Comparison: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (left, right) = (try translator.operand(lhs), try translator.operand(rhs))
        if let folded = try translator.folded(self, parts: left, right) { return folded }
        let comparator: SwormPredicates.Comparator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw translator.issue("the comparison \(op) is unknown")
            }
        return .boolean(try translator.order(left, by: comparator, with: right))
    }
}

extension PredicateTranslator {
    /// Translates `left == right`, where nil equals only nil.
    func equality(_ left: PredicateOperand, _ right: PredicateOperand) throws -> PredicateTree {
        switch (left, right) {
        case (.constant(nil), let other), (let other, .constant(nil)):
            return try isNil(other)
        case (.constant(let value as Bool), .predicate(let tree)), (.predicate(let tree), .constant(let value as Bool)):
            return value ? tree : negation(tree)
        case (.constant(let value as Bool), .optionalPredicate(let isPresent, let tree)),
            (.optionalPredicate(let isPresent, let tree), .constant(let value as Bool)):
            return conjunction([isPresent, value ? tree : negation(tree)])
        case (.predicate(let one), .predicate(let other)):
            return disjunction([conjunction([one, other]), conjunction([negation(one), negation(other)])])
        case (.order(let one, let other, let options), .constant(let value)),
            (.constant(let value), .order(let one, let other, let options)):
            return try order(of: one, to: other, options: options, is: value)
        // The constant goes to the right, so that an index can serve the left side.
        case (.constant, _): return try equality(right, left)
        default: return try comparison(left, by: .equal, with: right)
        }
    }

    func inequality(_ left: PredicateOperand, _ right: PredicateOperand) throws -> PredicateTree {
        let equality = try equality(left, right)
        guard case .comparison(var comparison) = equality else { return negation(equality) }
        switch comparison.comparator {
        case .equal: comparison.comparator = .notEqual
        case .identical: comparison.comparator = .notIdentical
        default: return negation(equality)
        }
        return .comparison(comparison)
    }

    private func comparison(
        _ left: PredicateOperand, by comparator: SwormPredicates.Comparator, with right: PredicateOperand
    ) throws -> PredicateTree {
        let (one, other) = (try expression(of: left), try expression(of: right))
        if other.isNotANumber { return .constant(false) }
        let isOptional = left.presence != nil || right.presence != nil
        return .comparison(Comparison(one, by: isOptional ? .identical : comparator, with: other))
    }

    private func isNil(_ operand: PredicateOperand) throws -> PredicateTree {
        switch operand {
        case .optionalPredicate(let isPresent, _): return negation(isPresent)
        case .row(let tree, let type, _) where type.elements != nil: return negation(type.hasElement(in: tree))
        case .predicate: return .constant(false)
        case .row(.evaluatedObject, _, _), .row(.variable, _, _): return .constant(false)
        default: return .comparison(Comparison(try expression(of: operand), by: .equal, with: .value(.null)))
        }
    }

    /// Compares two values by their order. Swift does not order optionals.
    func order(
        _ left: PredicateOperand, by comparator: SwormPredicates.Comparator, with right: PredicateOperand
    ) throws -> PredicateTree {
        if left.isConstant, !right.isConstant { return try order(right, by: comparator.turned, with: left) }
        let (one, other) = (try expression(of: left), try expression(of: right))
        if other.isNotANumber { return .constant(false) }
        return .comparison(Comparison(one, by: comparator, with: other))
    }

    private func order(
        of left: ExpressionTree, to right: ExpressionTree, options: ComparisonOptions, is value: Any?
    ) throws -> PredicateTree {
        guard let order = value as? ComparisonResult else {
            throw issue("the order of two strings can only be compared with a ComparisonResult")
        }
        let comparator: SwormPredicates.Comparator =
            switch order {
            case .orderedAscending: .less
            case .orderedSame: .equal
            case .orderedDescending: .greater
            }
        return .comparison(Comparison(left, by: comparator, with: right, options: options))
    }
}

extension AttributeValue {
    /// Whether the value is a number, or a date in seconds, that is NaN.
    var isNotANumber: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }
}

extension ExpressionTree {
    /// Whether the expression is NaN, which differs from everything in Swift, and is nil in a store.
    fileprivate var isNotANumber: Bool {
        if case .value(let value) = self { value.isNotANumber } else { false }
    }
}

extension SwormPredicates.Comparator {
    /// The equivalent comparator with the sides exchanged.
    fileprivate var turned: SwormPredicates.Comparator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}
