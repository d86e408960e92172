import Foundation
import SwormPredicates

extension PredicateExpressions.Variable: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        guard let operand = translator.variables[key] else {
            throw translator.issue("a variable is used outside of its closure")
        }
        return operand
    }
}

extension PredicateExpressions.Value: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        .constant(withoutOptionals(value))
    }
}

extension PredicateExpressions.NilLiteral: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand { .constant(nil) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension PredicateExpressions.ExpressionEvaluate: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let inner = try expression.evaluate(translator.bindings)
        repeat translator.variables[(each inner.variable).key] = try translator.operand(each input)
        return try translator.operand(inner.expression)
    }
}
