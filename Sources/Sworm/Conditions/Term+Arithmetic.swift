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

    /// The quotient. That of integers is cut off towards zero; by zero there is none, as if a value were missing.
    public static func / (left: Term, right: Base) -> Term {
        left.calculated(.divide, Operand(value: right))
    }

    /// The quotient. That of integers is cut off towards zero; by zero there is none, as if a value were missing.
    public static func / (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.divide, right.operand)
    }

    /// The quotient. That of integers is cut off towards zero; by zero there is none, as if a value were missing.
    public static func / <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.divide, right.operand)
    }

    /// The value raised to a power.
    public func power(_ exponent: Double) -> Term<Root, Double, Double?> {
        Term<Root, Double, Double?>(operand.combined(Operand(value: exponent)) { .binary(.power, $0, $1) })
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
