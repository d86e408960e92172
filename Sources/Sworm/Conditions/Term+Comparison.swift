import SwormPredicates

// Inlinable, because an optional or a condition of a type that is not known here asks the run time for its type at each call.
extension Term where Base.PrimitiveAttributeType: Equatable {
    /// The value is this one; with nil, there is none.
    @inlinable
    public static func == (left: Term, right: Base?) -> Condition<Root> {
        if let right { left.isEqual(to: right) } else { left.isNil }
    }

    /// The value is another one; with nil, there is one.
    @inlinable
    public static func != (left: Term, right: Base?) -> Condition<Root> {
        if let right { left.isDifferent(from: right) } else { left.isThere }
    }

    @inlinable
    func isEqual(to value: Base) -> Condition<Root> { Condition(operand.isEqual(to: Operand(value: value))) }

    @inlinable
    func isDifferent(from value: Base) -> Condition<Root> {
        Condition(operand.isDifferent(from: Operand(value: value)))
    }

    @usableFromInline
    var isThere: Condition<Root> { Condition(operand, .notEqual, Operand(.value(.null))) }

    /// The two values are the same.
    public static func == <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, .equal, right.operand)
    }

    /// The two values differ.
    public static func != <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, .notEqual, right.operand)
    }

    /// There is no value.
    public var isNil: Condition<Root> { Condition(operand, .equal, Operand(.value(.null))) }

    /// The value is one of these.
    public func isIn(_ values: some Sequence<Base>) -> Condition<Root> {
        Condition(operand, .in, Operand(values: values))
    }

    /// The value is one of these. A nil among them stands for having none.
    @_disfavoredOverload
    public func isIn(_ values: some Sequence<Base?>) -> Condition<Root> {
        Condition(operand, .in, Operand(values: values))
    }
}

extension Term where Value == Base, Base.PrimitiveAttributeType: Equatable {
    /// Tells that the comparison says nothing.
    @available(*, deprecated, message: "this attribute is never nil, so the comparison is always false")
    public static func == (left: Term, right: _OptionalNilComparisonType) -> Condition<Root> {
        left.isNil
    }

    /// Tells that the comparison says nothing.
    @available(*, deprecated, message: "this attribute is never nil, so the comparison is always true")
    public static func != (left: Term, right: _OptionalNilComparisonType) -> Condition<Root> {
        left.isThere
    }
}

extension Term where Base.PrimitiveAttributeType: Comparable {
    /// The value is below this one.
    public static func < (left: Term, right: Base) -> Condition<Root> {
        Condition(left.operand, .less, Operand(value: right))
    }

    /// The value is below the other.
    public static func < <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, .less, right.operand)
    }

    /// The value is above this one.
    public static func > (left: Term, right: Base) -> Condition<Root> {
        Condition(left.operand, .greater, Operand(value: right))
    }

    /// The value is above the other.
    public static func > <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, .greater, right.operand)
    }

    /// The value is this one or below.
    public static func <= (left: Term, right: Base) -> Condition<Root> {
        Condition(left.operand, .lessOrEqual, Operand(value: right))
    }

    /// The value is the other or below.
    public static func <= <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, .lessOrEqual, right.operand)
    }

    /// The value is this one or above.
    public static func >= (left: Term, right: Base) -> Condition<Root> {
        Condition(left.operand, .greaterOrEqual, Operand(value: right))
    }

    /// The value is the other or above.
    public static func >= <Other>(left: Term, right: Term<Root, Base, Other>) -> Condition<Root> {
        Condition(left.operand, .greaterOrEqual, right.operand)
    }

    /// The value lies between these, or is one of them.
    public func between(_ lower: Base, _ upper: Base) -> Condition<Root> {
        Condition(operand, .between, Operand(values: [lower, upper]))
    }

    /// The value lies between two others of the row, or is one of them.
    public func between<Lower, Upper>(
        _ lower: Term<Root, Base, Lower>, _ upper: Term<Root, Base, Upper>
    ) -> Condition<Root> {
        Condition(operand, .between, lower.operand.combined(upper.operand) { .list([$0, $1]) })
    }

    /// The value lies in this range.
    public func between(_ range: ClosedRange<Base>) -> Condition<Root> where Base: Comparable {
        between(range.lowerBound, range.upperBound)
    }
}
