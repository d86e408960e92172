import Foundation
import SwormPredicates

// The right side of `&&` and `||` may only be meaningful for certain results of the left side:
// `x == nil || $0.year == x!`. It is therefore not translated if the left side has already decided the result.

extension PredicateExpressions.Conjunction: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let left = try translator.predicate(lhs)
        if left == .constant(false) { return .constant(false) }
        return .boolean(translator.conjunction([left, try translator.predicate(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let left = try translator.predicate(lhs)
        if left == .constant(true) { return .constant(true) }
        return .boolean(translator.disjunction([left, try translator.predicate(rhs)]))
    }
}

extension PredicateExpressions.Negation: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        .boolean(translator.negation(try translator.predicate(wrapped)))
    }
}

extension PredicateExpressions.Conditional: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let test = try translator.predicate(test)
        if case .constant(let value) = test {
            return try value ? translator.operand(trueBranch) : translator.operand(falseBranch)
        }
        return try translator.choice(
            if: test, then: try translator.operand(trueBranch), else: try translator.operand(falseBranch))
    }
}

extension PredicateTranslator {
    /// Returns one operand if a predicate holds, and another one if it does not.
    func choice(if test: PredicateTree, then yes: PredicateOperand, else no: PredicateOperand) throws
        -> PredicateOperand
    {
        switch (yes, no) {
        case (.predicate, .predicate), (.predicate, .constant(is Bool)), (.constant(is Bool), .predicate):
            let (yes, no) = (try predicate(of: yes), try predicate(of: no))
            return .boolean(disjunction([conjunction([test, yes]), conjunction([negation(test), no])]))
        default:
            return .value(
                .conditional(test, try expression(of: yes), try expression(of: no)),
                isOptional: yes.canBeNil || no.canBeNil)
        }
    }
}

extension PredicateOperand {
    fileprivate var canBeNil: Bool {
        if case .constant(nil) = self { return true }
        return presence != nil
    }
}
