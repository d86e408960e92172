import SwormPredicates

// Inlinable, because an optional or a condition of a generic type requests its metadata from the runtime at each call.
extension Term where Base.PrimitiveAttributeType: Equatable {
    /// Returns a condition that the value equals the given one.
    ///
    /// With nil, the value must be missing.
    @inlinable
    public static func == (left: Term, right: Base?) -> Condition<Root> {
        if let right { left.isEqual(to: right) } else { left.isNil }
    }

    /// Returns a condition that the value differs from the given one.
    ///
    /// With nil, the value must not be missing.
    @inlinable
    public static func != (left: Term, right: Base?) -> Condition<Root> {
        if let right { left.isDifferent(from: right) } else { left.isNotNil }
    }

    @inlinable
    func isEqual(to value: Base) -> Condition<Root> { Condition(operand.isEqual(to: Operand(value: value))) }

    @inlinable
    func isDifferent(from value: Base) -> Condition<Root> {
        Condition(operand.isDifferent(from: Operand(value: value)))
    }

    @usableFromInline
    var isNotNil: Condition<Root> { Condition(operand, by: .notEqual, with: Operand(.value(.null))) }

    /// Returns a condition that the two values are equal.
    public static func == <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, by: .equal, with: right.operand)
    }

    /// Returns a condition that the two values differ.
    public static func != <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, by: .notEqual, with: right.operand)
    }

    /// A condition that the value is missing.
    public var isNil: Condition<Root> { Condition(operand, by: .equal, with: Operand(.value(.null))) }

    /// Returns a condition that the value is one of the given values.
    public func isIn(_ values: some Sequence<Base>) -> Condition<Root> {
        Condition(operand, by: .in, with: Operand(values: values))
    }

    /// Returns a condition that the value is one of the given values.
    ///
    /// A nil among them matches a missing value.
    @_disfavoredOverload
    public func isIn(_ values: some Sequence<Base?>) -> Condition<Root> {
        Condition(operand, by: .in, with: Operand(values: values))
    }
}

extension Term where Value == Base, Base.PrimitiveAttributeType: Equatable {
    /// Deprecated: the comparison has no effect, because the attribute is never nil.
    @available(*, deprecated, message: "this attribute is never nil, so the comparison is always false")
    public static func == (left: Term, right: _OptionalNilComparisonType) -> Condition<Root> {
        left.isNil
    }

    /// Deprecated: the comparison has no effect, because the attribute is never nil.
    @available(*, deprecated, message: "this attribute is never nil, so the comparison is always true")
    public static func != (left: Term, right: _OptionalNilComparisonType) -> Condition<Root> {
        left.isNotNil
    }
}

extension Term where Base.PrimitiveAttributeType: Comparable {
    /// Returns a condition that the value is less than the given one.
    public static func < (left: Term, right: Base) -> Condition<Root> {
        Condition(left.operand, by: .less, with: Operand(value: right))
    }

    /// Returns a condition that the value is less than the other one.
    public static func < <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, by: .less, with: right.operand)
    }

    /// Returns a condition that the value is greater than the given one.
    public static func > (left: Term, right: Base) -> Condition<Root> {
        Condition(left.operand, by: .greater, with: Operand(value: right))
    }

    /// Returns a condition that the value is greater than the other one.
    public static func > <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, by: .greater, with: right.operand)
    }

    /// Returns a condition that the value is less than or equal to the given one.
    public static func <= (left: Term, right: Base) -> Condition<Root> {
        Condition(left.operand, by: .lessOrEqual, with: Operand(value: right))
    }

    /// Returns a condition that the value is less than or equal to the other one.
    public static func <= <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, by: .lessOrEqual, with: right.operand)
    }

    /// Returns a condition that the value is greater than or equal to the given one.
    public static func >= (left: Term, right: Base) -> Condition<Root> {
        Condition(left.operand, by: .greaterOrEqual, with: Operand(value: right))
    }

    /// Returns a condition that the value is greater than or equal to the other one.
    public static func >= <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, by: .greaterOrEqual, with: right.operand)
    }

    /// Returns a condition that the value is between two values, including both.
    public func between(_ lower: Base, _ upper: Base) -> Condition<Root> {
        Condition(operand, by: .between, with: Operand(values: [lower, upper]))
    }

    /// Returns a condition that the value is between two other values of the row, including both.
    public func between<Lower, Upper>(
        _ lower: Term<Root, Base, Lower>, _ upper: Term<Root, Base, Upper>
    ) -> Condition<Root> {
        Condition(operand, by: .between, with: lower.operand.combined(with: upper.operand) { .list([$0, $1]) })
    }

    /// Returns a condition that the value is in the given range.
    public func between(_ range: ClosedRange<Base>) -> Condition<Root> where Base: Comparable {
        between(range.lowerBound, range.upperBound)
    }
}
