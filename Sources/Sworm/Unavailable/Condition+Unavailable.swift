import SwormPredicates

// Unavailable declarations whose messages suggest an alternative.
extension Term where Base == String {
    /// Unavailable: use the length of the string.
    @available(*, unavailable, message: "compare the length: `$0.title.length == 0`")
    public var isEmpty: Condition<Root> { .never }

    /// Unavailable: use the length of the string.
    @available(*, unavailable, renamed: "length")
    public var count: Term<Root, Int, Int?> { Term<Root, Int, Int?>(operand) }
}

extension Term {
    /// Unavailable: values of different types cannot be compared.
    @available(*, unavailable, message: "the attribute has another type: compare it with a value of its own type")
    @_disfavoredOverload
    public static func == <Other: SupportedAttributeType>(left: Term, right: Other) -> Condition<Root> { .never }

    /// Unavailable: values of different types cannot be compared.
    @available(*, unavailable, message: "the attribute has another type: compare it with a value of its own type")
    @_disfavoredOverload
    public static func != <Other: SupportedAttributeType>(left: Term, right: Other) -> Condition<Root> { .never }
}

extension OptionalPath {
    /// Unavailable: a row can be compared with rows and ids only.
    @available(*, unavailable, message: "a row is compared with another row of its entity, or with an id")
    @_disfavoredOverload
    public static func == <Base, Other>(left: OptionalPath, right: Term<Root, Base, Other>) -> Condition<Root> {
        .never
    }

    /// Unavailable: a row can be compared with rows and ids only.
    @available(*, unavailable, message: "a row is compared with another row of its entity, or with an id")
    @_disfavoredOverload
    public static func != <Base, Other>(left: OptionalPath, right: Term<Root, Base, Other>) -> Condition<Root> {
        .never
    }
}

extension Sequence {
    /// Unavailable: start the condition with the attribute.
    @available(*, unavailable, message: "the attribute comes first: `$0.year.isIn(years)`")
    public func contains<Root, Value>(_ term: Term<Root, Element, Value>) -> Condition<Root> { .never }
}

extension RangeExpression {
    /// Unavailable: start the condition with the attribute.
    @available(*, unavailable, message: "the attribute comes first: `$0.year.isIn(years)`")
    @_disfavoredOverload
    public func contains<Root, Value>(_ term: Term<Root, Bound, Value>) -> Condition<Root> { .never }
}

/// Unavailable: conditions over relations require the closure form.
@available(*, unavailable, message: "a condition over relations is a closure: `{ $0.author.name == \"Leo\" }`")
@_disfavoredOverload
public func == <Root, Base, Value>(
    left: KeyPath<EntityPath<Root, Root>, Term<Root, Base, Value>>, right: Base
) -> Condition<Root> { .never }

extension Condition {
    fileprivate static var never: Condition { Condition(ConditionContent(.constant(false))) }
}
