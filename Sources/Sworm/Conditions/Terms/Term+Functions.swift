import SwormPredicates

// The functions of the predicate language. The result is missing if the value that it is computed from is missing.

extension Term where Base: SignedNumeric {
    /// The absolute value.
    public var magnitude: Term { Term(operand.calling(.abs)) }
}

extension Term where Base: BinaryFloatingPoint {
    /// The direction in which a value is rounded.
    public enum RoundingDirection: Sendable {
        case down, up, towardZero
    }

    /// Returns the value rounded to an integer.
    public func rounded(_ direction: RoundingDirection) -> Term {
        switch direction {
        case .down: Term(operand.calling(.floor))
        case .up: Term(operand.calling(.ceiling))
        case .towardZero: Term(operand.calling(.trunc))
        }
    }

    /// The square root.
    ///
    /// It is missing for negative values.
    public var squareRoot: Term<Root, Base, Base?> { Term<Root, Base, Base?>(operand.calling(.sqrt)) }

    /// The natural logarithm.
    ///
    /// It is missing for zero and negative values.
    public var naturalLogarithm: Term<Root, Base, Base?> { Term<Root, Base, Base?>(operand.calling(.ln)) }

    /// The logarithm to base ten.
    ///
    /// It is missing for zero and negative values.
    public var commonLogarithm: Term<Root, Base, Base?> { Term<Root, Base, Base?>(operand.calling(.log)) }

    /// Euler's number raised to the power of the value.
    public var exponential: Term { Term(operand.calling(.exp)) }
}

extension Condition {
    /// Returns the first value if the condition holds, and the other one if it does not hold or is undecided.
    ///
    /// ```swift
    /// Book.all.where { ($0.rating == nil).then(0, else: $0.rating) > 3 }
    /// ```
    public func then<Base>(_ value: Base, else other: Base) -> Term<PlainObject, Base, Base> {
        choosing(Operand(value: value), otherwise: Operand(value: other))
    }

    /// Returns the first value if the condition holds, and the other one if it does not hold or is undecided.
    public func then<Base, Value>(
        _ value: Base, else other: Term<PlainObject, Base, Value>
    ) -> Term<PlainObject, Base, Value> {
        choosing(Operand(value: value), otherwise: other.operand)
    }

    /// Returns the first value if the condition holds, and the other one if it does not hold or is undecided.
    public func then<Base, Value>(
        _ value: Term<PlainObject, Base, Value>, else other: Base
    ) -> Term<PlainObject, Base, Value> {
        choosing(value.operand, otherwise: Operand(value: other))
    }

    /// Returns the first value if the condition holds, and the other one if it does not hold or is undecided.
    public func then<Base, Value, Other>(
        _ value: Term<PlainObject, Base, Value>, else other: Term<PlainObject, Base, Other>
    ) -> Term<PlainObject, Base, Base?> {
        choosing(value.operand, otherwise: other.operand)
    }

    private func choosing<Base, Value>(_ yes: Operand, otherwise no: Operand) -> Term<PlainObject, Base, Value> {
        guard case .tree(let test) = content.body else {
            return Term(Operand(.value(.null), failure: content.failure))
        }
        var result = yes.combined(with: no) { .conditional(test, $0, $1) }
        result.failure = content.failure ?? result.failure
        return Term(result)
    }
}
