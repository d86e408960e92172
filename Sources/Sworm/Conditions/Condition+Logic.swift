/// Both conditions hold.
public func && <PlainObject>(left: Condition<PlainObject>, right: Condition<PlainObject>) -> Condition<PlainObject> {
    Condition(.and(left.content, right.content))
}

/// At least one of the conditions holds.
public func || <PlainObject>(left: Condition<PlainObject>, right: Condition<PlainObject>) -> Condition<PlainObject> {
    Condition(.or(left.content, right.content))
}

/// The condition does not hold.
public prefix func ! <PlainObject>(original: Condition<PlainObject>) -> Condition<PlainObject> {
    Condition(.not(original.content))
}

// One side may be untyped. Never both: with operators for two untyped sides, and `String` among the untyped, the
// compiler takes ten times as long for every unrelated Bool expression in a file that imports this module.

/// Both predicates hold.
@_disfavoredOverload
public func && <PlainObject>(left: Condition<PlainObject>, right: any Predicate) -> any Predicate {
    Query.and(left, right)
}

/// Both predicates hold.
@_disfavoredOverload
public func && <PlainObject>(left: any Predicate, right: Condition<PlainObject>) -> any Predicate {
    Query.and(left, right)
}

/// At least one of the predicates holds.
@_disfavoredOverload
public func || <PlainObject>(left: Condition<PlainObject>, right: any Predicate) -> any Predicate {
    Query.or(left, right)
}

/// At least one of the predicates holds.
@_disfavoredOverload
public func || <PlainObject>(left: any Predicate, right: Condition<PlainObject>) -> any Predicate {
    Query.or(left, right)
}
