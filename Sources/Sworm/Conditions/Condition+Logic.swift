/// Returns a condition that both conditions hold.
public func && <PlainObject>(left: Condition<PlainObject>, right: Condition<PlainObject>) -> Condition<PlainObject> {
    Condition(.and(left.content, right.content))
}

/// Returns a condition that at least one of the conditions holds.
public func || <PlainObject>(left: Condition<PlainObject>, right: Condition<PlainObject>) -> Condition<PlainObject> {
    Condition(.or(left.content, right.content))
}

/// Returns a condition that the given one does not hold.
public prefix func ! <PlainObject>(original: Condition<PlainObject>) -> Condition<PlainObject> {
    Condition(.not(original.content))
}

// One side may be untyped, but never both. With operators for two untyped sides, and `String` as one of the untyped
// types, the compiler takes ten times as long for every unrelated Bool expression in a file that imports this module.

/// Returns a predicate that both predicates hold.
@_disfavoredOverload
public func && <PlainObject>(left: Condition<PlainObject>, right: any Predicate) -> any Predicate {
    Query.and(left, right)
}

/// Returns a predicate that both predicates hold.
@_disfavoredOverload
public func && <PlainObject>(left: any Predicate, right: Condition<PlainObject>) -> any Predicate {
    Query.and(left, right)
}

/// Returns a predicate that at least one of the predicates holds.
@_disfavoredOverload
public func || <PlainObject>(left: Condition<PlainObject>, right: any Predicate) -> any Predicate {
    Query.or(left, right)
}

/// Returns a predicate that at least one of the predicates holds.
@_disfavoredOverload
public func || <PlainObject>(left: any Predicate, right: Condition<PlainObject>) -> any Predicate {
    Query.or(left, right)
}
