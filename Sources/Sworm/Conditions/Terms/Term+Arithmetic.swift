import SwormPredicates

// A term that is computed from one that may be missing may be missing too.

extension Term where Base: Numeric {
    /// Returns the sum.
    public static func + (left: Term, right: Base) -> Term {
        left.calculated(.add, with: Operand(value: right))
    }

    /// Returns the sum.
    public static func + (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.add, with: right.operand)
    }

    /// Returns the sum.
    public static func + <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.add, with: right.operand)
    }

    /// Returns the difference.
    public static func - (left: Term, right: Base) -> Term {
        left.calculated(.subtract, with: Operand(value: right))
    }

    /// Returns the difference.
    public static func - (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.subtract, with: right.operand)
    }

    /// Returns the difference.
    public static func - <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.subtract, with: right.operand)
    }

    /// Returns the product.
    public static func * (left: Term, right: Base) -> Term {
        left.calculated(.multiply, with: Operand(value: right))
    }

    /// Returns the product.
    public static func * (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.multiply, with: right.operand)
    }

    /// Returns the product.
    public static func * <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.multiply, with: right.operand)
    }

    /// Returns the quotient.
    ///
    /// The quotient of integers is truncated towards zero. A division by zero results in a missing value.
    public static func / (left: Term, right: Base) -> Term {
        left.calculated(.divide, with: Operand(value: right))
    }

    /// Returns the quotient.
    ///
    /// The quotient of integers is truncated towards zero. A division by zero results in a missing value.
    public static func / (left: Base, right: Term) -> Term {
        Term(Operand(value: left)).calculated(.divide, with: right.operand)
    }

    /// Returns the quotient.
    ///
    /// The quotient of integers is truncated towards zero. A division by zero results in a missing value.
    public static func / <Other>(left: Term, right: Term<Root, Base, Other>) -> Term<Root, Base, Base?> {
        left.calculated(.divide, with: right.operand)
    }

    /// Returns the value raised to a power.
    public func power(_ exponent: Double) -> Term<Root, Double, Double?> {
        Term<Root, Double, Double?>(operand.combined(with: Operand(value: exponent)) { .binary(.power, $0, $1) })
    }

    fileprivate func calculated<Result>(
        _ sign: BinaryOperator, with other: Operand
    ) -> Term<Root, Base, Result> {
        Term<Root, Base, Result>(operand.combined(with: other) { .binary(sign, $0, $1) })
    }
}

extension Term where Base: SignedNumeric {
    /// Returns the negated value.
    public static prefix func - (operand: Term) -> Term {
        var result = operand.operand
        result.expression = .negate(result.expression)
        return Term(result)
    }
}
