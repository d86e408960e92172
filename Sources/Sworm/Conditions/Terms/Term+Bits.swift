import SwormPredicates

// The bit operators of the predicate language, and the remainder. For option sets, use `contains(_:)`.

extension Term where Base: BinaryInteger {
    /// Returns the bits that are set in both values.
    public static func & (left: Term, right: Base) -> Term { left.combined(.bitAnd, with: right) }

    /// Returns the bits that are set in at least one value.
    public static func | (left: Term, right: Base) -> Term { left.combined(.bitOr, with: right) }

    /// Returns the bits that are set in exactly one value.
    public static func ^ (left: Term, right: Base) -> Term { left.combined(.bitXor, with: right) }

    /// Returns the remainder of a division, with the sign of the value.
    ///
    /// A division by zero results in a missing value.
    public func remainder(dividingBy divisor: Base) -> Term {
        Term(
            operand.combined(with: Operand(value: divisor)) { .function(PredicateFunction.modulus.rawValue, [$0, $1]) })
    }

    private func combined(_ sign: BinaryOperator, with other: Base) -> Term {
        Term(operand.combined(with: Operand(value: other)) { .binary(sign, $0, $1) })
    }
}

extension Term where Base: OptionSet, Base.RawValue: SupportedAttributeType {
    /// Returns a condition that the set contains all of the given options.
    public func contains(_ options: Base) -> Condition<Root> {
        let bits = Operand(value: options)
        return Condition(operand.combined(with: bits) { .binary(.bitAnd, $0, $1) }, by: .equal, with: bits)
    }
}
