import SwormPredicates

// The bit operators of the language, and the remainder. An option set is asked by `contains(_:)`.

extension Term where Base: BinaryInteger {
    /// The bits that both have.
    public static func & (left: Term, right: Base) -> Term { left.combined(.bitAnd, right) }

    /// The bits that at least one has.
    public static func | (left: Term, right: Base) -> Term { left.combined(.bitOr, right) }

    /// The bits that one has and the other has not.
    public static func ^ (left: Term, right: Base) -> Term { left.combined(.bitXor, right) }

    /// The remainder of a division, with the sign of the value. By zero there is none, as if a value were missing.
    public func remainder(dividingBy divisor: Base) -> Term {
        Term(operand.combined(Operand(value: divisor)) { .function(PredicateFunction.modulus.rawValue, [$0, $1]) })
    }

    private func combined(_ sign: BinaryOperator, _ other: Base) -> Term {
        Term(operand.combined(Operand(value: other)) { .binary(sign, $0, $1) })
    }
}

extension Term where Base: OptionSet, Base.RawValue: SupportedAttributeType {
    /// The set has all of these options.
    public func contains(_ options: Base) -> Condition<Root> {
        let bits = Operand(value: options)
        return Condition(operand.combined(bits) { .binary(.bitAnd, $0, $1) }, .equal, bits)
    }
}
