public import Foundation
import SwormPredicates

// A term that is calculated from one that may be missing may be missing too.

extension Term where Base: Numeric {
    /// The sum.
    public static func + (left: Term, right: Base) -> Term {
        left.calculated(.add, Operand(value: right))
    }

    /// The sum.
    public static func + (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.add, right.operand)
    }

    /// The sum.
    public static func + <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.add, right.operand)
    }

    /// The difference.
    public static func - (left: Term, right: Base) -> Term {
        left.calculated(.subtract, Operand(value: right))
    }

    /// The difference.
    public static func - (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.subtract, right.operand)
    }

    /// The difference.
    public static func - <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.subtract, right.operand)
    }

    /// The product.
    public static func * (left: Term, right: Base) -> Term {
        left.calculated(.multiply, Operand(value: right))
    }

    /// The product.
    public static func * (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.multiply, right.operand)
    }

    /// The product.
    public static func * <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.multiply, right.operand)
    }

    fileprivate func calculated<Result>(
        _ sign: BinaryOperator, _ other: Operand
    ) -> Term<Root, Base, Result> {
        Term<Root, Base, Result>(operand.combined(other) { .binary(sign, $0, $1) })
    }
}

extension Term where Base: SignedNumeric {
    /// The value with the other sign.
    public static prefix func - (operand: Term) -> Term {
        var result = operand.operand
        result.expression = .negate(result.expression)
        return Term(result)
    }
}

extension Term where Base: FloatingPoint {
    /// The quotient.
    public static func / (left: Term, right: Base) -> Term {
        left.calculated(.divide, Operand(value: right))
    }

    /// The quotient.
    public static func / (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.divide, right.operand)
    }

    /// The quotient.
    public static func / <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.divide, right.operand)
    }
}

extension Term where Base == Decimal {
    /// The quotient.
    public static func / (left: Term, right: Base) -> Term {
        left.calculated(.divide, Operand(value: right))
    }

    /// The quotient.
    public static func / (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.divide, right.operand)
    }

    /// The quotient.
    public static func / <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.divide, right.operand)
    }
}
