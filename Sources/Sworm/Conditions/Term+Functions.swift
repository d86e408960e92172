import SwormPredicates

// The functions of the language. What is calculated from a missing value is missing.

extension Term where Base: SignedNumeric {
    /// The value without its sign.
    public var magnitude: Term { Term(operand.calling(.abs)) }
}

extension Term where Base: BinaryFloatingPoint {
    /// Where a value is rounded to.
    public enum RoundingDirection: Sendable {
        case down, up, towardZero
    }

    /// The value, rounded to an integer.
    public func rounded(_ direction: RoundingDirection) -> Term {
        switch direction {
        case .down: Term(operand.calling(.floor))
        case .up: Term(operand.calling(.ceiling))
        case .towardZero: Term(operand.calling(.trunc))
        }
    }

    /// The square root; missing below zero.
    public var squareRoot: Term<Root, Base, Base?> { Term<Root, Base, Base?>(operand.calling(.sqrt)) }

    /// The natural logarithm; missing at and below zero.
    public var naturalLogarithm: Term<Root, Base, Base?> { Term<Root, Base, Base?>(operand.calling(.ln)) }

    /// The logarithm to the base ten; missing at and below zero.
    public var commonLogarithm: Term<Root, Base, Base?> { Term<Root, Base, Base?>(operand.calling(.log)) }

    /// The power of Euler's number.
    public var exponential: Term { Term(operand.calling(.exp)) }
}

extension Condition {
    /// One of two values: the first where the condition holds, and the other where it does not or is undecided.
    ///
    /// ```swift
    /// Book.all.where { ($0.rating == nil).then(0, else: $0.rating) > 3 }
    /// ```
    public func then<Base>(_ value: Base, else other: Base) -> Term<PlainObject, Base, Base> {
        choosing(Operand(value: value), Operand(value: other))
    }

    /// One of two values: the first where the condition holds, and the other where it does not or is undecided.
    public func then<Base, Value>(
        _ value: Base, else other: Term<PlainObject, Base, Value>
    ) -> Term<PlainObject, Base, Value> {
        choosing(Operand(value: value), other.operand)
    }

    /// One of two values: the first where the condition holds, and the other where it does not or is undecided.
    public func then<Base, Value>(
        _ value: Term<PlainObject, Base, Value>, else other: Base
    ) -> Term<PlainObject, Base, Value> {
        choosing(value.operand, Operand(value: other))
    }

    /// One of two values: the first where the condition holds, and the other where it does not or is undecided.
    public func then<Base, Value, Other>(
        _ value: Term<PlainObject, Base, Value>, else other: Term<PlainObject, Base, Other>
    ) -> Term<PlainObject, Base, Base?> {
        choosing(value.operand, other.operand)
    }

    private func choosing<Base, Value>(_ yes: Operand, _ no: Operand) -> Term<PlainObject, Base, Value> {
        guard case .tree(let test) = content.body else {
            return Term(Operand(.value(.null), failure: content.failure))
        }
        var result = yes.combined(no) { .conditional(test, $0, $1) }
        result.failure = content.failure ?? result.failure
        return Term(result)
    }
}
