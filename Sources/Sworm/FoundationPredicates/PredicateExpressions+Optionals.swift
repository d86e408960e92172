import Foundation
import SwormPredicates

extension PredicateExpressions.ForcedUnwrap: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let operand = try translator.operand(inner)
        if case .constant(nil) = operand { throw translator.issue("a captured nil is force-unwrapped") }
        return operand.unwrapped
    }
}

extension PredicateExpressions.NilCoalesce: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let left = try translator.operand(lhs)
        if case .constant(nil) = left { return try translator.operand(rhs) }
        guard let presence = left.presence else { return left }
        let right = try translator.operand(rhs)
        switch (left, right) {
        case (.optionalPredicate(_, let tree), .constant(let value as Bool)):
            return .boolean(
                value
                    ? translator.disjunction([translator.negation(presence), tree])
                    : translator.conjunction([presence, tree]))
        // The result is the default unless the value is the opposite Boolean.
        case (.value, .constant(let value as Bool)):
            return .boolean(
                try value
                    ? translator.inequality(left, .constant(false)) : translator.equality(left, .constant(true)))
        default: return try translator.choice(if: presence, then: left.unwrapped, else: right)
        }
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let base = try translator.operand(wrapped)
        if base.isConstant {
            guard let value = try wrapped.evaluate(translator.bindings) else { return .constant(nil) }
            translator.bindings[variable] = value
        }
        translator.variables[variable.key] = base.unwrapped
        let result = try translator.operand(transform)
        guard let presence = base.presence else { return result }
        switch result {
        case .constant(nil), .rows, .order: return result
        case .constant(let value as Bool): return .optionalPredicate(isPresent: presence, .constant(value))
        case .predicate(let tree): return .optionalPredicate(isPresent: presence, tree)
        case .optionalPredicate(let isPresent, let tree):
            return .optionalPredicate(isPresent: translator.conjunction([presence, isPresent]), tree)
        case .row(let tree, let type, _): return .row(tree, type, isOptional: true)
        case .part(let tree, let type, let keyPath, _): return .part(tree, type, keyPath, isOptional: true)
        case .constant, .value:
            let tree = try translator.expression(of: result)
            let subject = try translator.expression(of: base)
            // A path through nil is nil by itself.
            return .value(
                tree.isStrict(in: subject) ? tree : .conditional(presence, tree, .value(.null)), isOptional: true)
        }
    }
}
