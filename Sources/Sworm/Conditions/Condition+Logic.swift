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
