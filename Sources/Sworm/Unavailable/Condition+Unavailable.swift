import SwormPredicates

// Not there: these say what to write instead.
extension Term where Base == String {
    /// Not there: a string has a length.
    @available(*, unavailable, message: "compare the length: `$0.title.length == 0`")
    public var isEmpty: Condition<Root> { .never }

    /// Not there: a string has a length.
    @available(*, unavailable, renamed: "length")
    public var count: Term<Root, Int, Int?> { Term<Root, Int, Int?>(operand) }
}

extension Term {
    /// Not there: values of different types are not compared.
    @available(*, unavailable, message: "the attribute has another type: compare it with a value of its own type")
    @_disfavoredOverload
    public static func == <Other: SupportedAttributeType>(left: Term, right: Other) -> Condition<Root> { .never }

    /// Not there: values of different types are not compared.
    @available(*, unavailable, message: "the attribute has another type: compare it with a value of its own type")
    @_disfavoredOverload
    public static func != <Other: SupportedAttributeType>(left: Term, right: Other) -> Condition<Root> { .never }
}

extension OptionalPath {
    /// Not there: a row is compared with rows and ids.
    @available(*, unavailable, message: "a row is compared with another row of its entity, or with an id")
    @_disfavoredOverload
    public static func == <Base, Other>(left: OptionalPath, right: Term<Root, Base, Other>) -> Condition<Root> {
        .never
    }

    /// Not there: a row is compared with rows and ids.
    @available(*, unavailable, message: "a row is compared with another row of its entity, or with an id")
    @_disfavoredOverload
    public static func != <Base, Other>(left: OptionalPath, right: Term<Root, Base, Other>) -> Condition<Root> {
        .never
    }
}

extension Sequence {
    /// Not there: the attribute comes first.
    @available(*, unavailable, message: "the attribute comes first: `$0.year.isIn(years)`")
    public func contains<Root, Value>(_ term: Term<Root, Element, Value>) -> Condition<Root> { .never }
}

extension RangeExpression {
    /// Not there: the attribute comes first.
    @available(*, unavailable, message: "the attribute comes first: `$0.year.isIn(years)`")
    @_disfavoredOverload
    public func contains<Root, Value>(_ term: Term<Root, Bound, Value>) -> Condition<Root> { .never }
}

/// Not there: relations need the closure form.
@available(*, unavailable, message: "a condition over relations is a closure: `{ $0.author.name == \"Leo\" }`")
@_disfavoredOverload
public func == <Root, Base, Value>(
    left: KeyPath<EntityPath<Root, Root>, Term<Root, Base, Value>>, right: Base
) -> Condition<Root> { .never }

extension Condition {
    fileprivate static var never: Condition { Condition(ConditionContent(.constant(false))) }
}
