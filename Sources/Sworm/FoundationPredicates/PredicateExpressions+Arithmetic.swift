import Foundation
import SwormPredicates

extension PredicateExpressions.Arithmetic: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (left, right) = (try translator.operand(lhs), try translator.operand(rhs))
        let sign: BinaryOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw translator.issue("the operator \(op) is unknown")
            }
        if left.isConstant, right.isConstant,
            let one = try lhs.evaluate(translator.bindings) as? any FixedWidthInteger
        {
            let other = try rhs.evaluate(translator.bindings)
            return .constant(try translator.computed(one, applying: sign, with: other))
        }
        return try translator.folded(self, parts: left, right)
            ?? translator.computed(left, applying: sign, with: right, isFloat: Output.self is Float.Type)
    }
}

extension PredicateExpressions.IntDivision: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (left, right) = (try translator.operand(lhs), try translator.operand(rhs))
        try translator.refuseZero(right)
        if left.isConstant, right.isConstant,
            let one = try lhs.evaluate(translator.bindings) as? any FixedWidthInteger
        {
            let other = try rhs.evaluate(translator.bindings)
            return .constant(try translator.computed(one, applying: .divide, with: other))
        }
        return try translator.computed(left, applying: .divide, with: right, isFloat: false)
    }
}

extension PredicateExpressions.IntRemainder: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (left, right) = (try translator.operand(lhs), try translator.operand(rhs))
        try translator.refuseZero(right)
        let operands = [try translator.expression(of: left), try translator.expression(of: right)]
        return .value(.function(PredicateFunction.modulus.rawValue, operands), isOptional: false)
    }
}

extension PredicateExpressions.FloatDivision: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let (left, right) = (try translator.operand(lhs), try translator.operand(rhs))
        try translator.refuseZero(right)
        return try translator.folded(self, parts: left, right)
            ?? translator.computed(left, applying: .divide, with: right, isFloat: Output.self is Float.Type)
    }
}

extension PredicateExpressions.UnaryMinus: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let operand = try translator.operand(wrapped)
        return .value(.negate(try translator.expression(of: operand)), isOptional: false)
    }
}

extension PredicateTranslator {
    /// Computes with the numbers of a store, which are doubles.
    ///
    /// A double has more than twice the digits of a `Float`, so that rounding its result gives the same result as
    /// `Float` arithmetic.
    fileprivate func computed(
        _ left: PredicateOperand, applying sign: BinaryOperator, with right: PredicateOperand, isFloat: Bool
    ) throws -> PredicateOperand {
        let result = ExpressionTree.binary(sign, try expression(of: left), try expression(of: right))
        return .value(
            isFloat ? .function(PredicateFunction.float.rawValue, [result]) : result, isOptional: false)
    }

    /// Computes with constants, and throws an error where Foundation would trap because the result does not fit.
    fileprivate func computed<Number: FixedWidthInteger>(
        _ left: Number, applying sign: BinaryOperator, with right: Any
    ) throws -> Number {
        guard let right = right as? Number else { throw issue("two kinds of numbers are combined") }
        let result =
            switch sign {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            default: left.dividedReportingOverflow(by: right)
            }
        guard !result.overflow else {
            throw issue("\(left) \(sign.rawValue) \(right) does not fit in \(Number.self)")
        }
        return result.partialValue
    }

    fileprivate func refuseZero(_ divisor: PredicateOperand) throws {
        guard case .value(let value) = try expression(of: divisor), value.numericDouble == 0 else { return }
        throw issue("it divides by zero")
    }
}
