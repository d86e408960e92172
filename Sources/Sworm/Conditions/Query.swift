/// A namespace for named alternatives to the operators, and for conditions that have no operator.
public enum Query {}

extension Query {
    /// Returns a condition that the given one does not hold.
    public static func not<PlainObject>(_ original: Condition<PlainObject>) -> Condition<PlainObject> {
        !original
    }

    /// Returns a condition that both conditions hold.
    public static func and<PlainObject>(
        _ left: Condition<PlainObject>, _ right: Condition<PlainObject>
    ) -> Condition<PlainObject> {
        left && right
    }

    /// Returns a condition that at least one of the conditions holds.
    public static func or<PlainObject>(
        _ left: Condition<PlainObject>, _ right: Condition<PlainObject>
    ) -> Condition<PlainObject> {
        left || right
    }

    /// Returns a predicate that the given one does not hold.
    @_disfavoredOverload
    public static func not(_ original: any Predicate) -> any Predicate {
        UntypedPredicate(.not(original.predicateDescriptor.content))
    }

    /// Returns a predicate that both predicates hold.
    @_disfavoredOverload
    public static func and(_ left: any Predicate, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.and(left.predicateDescriptor.content, right.predicateDescriptor.content))
    }

    /// Returns a predicate that both predicates hold.
    @_disfavoredOverload
    public static func and<PlainObject>(_ left: Condition<PlainObject>, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.and(left.content, right.predicateDescriptor.content))
    }

    /// Returns a predicate that both predicates hold.
    @_disfavoredOverload
    public static func and<PlainObject>(_ left: any Predicate, _ right: Condition<PlainObject>) -> any Predicate {
        UntypedPredicate(.and(left.predicateDescriptor.content, right.content))
    }

    /// Returns a predicate that at least one of the predicates holds.
    @_disfavoredOverload
    public static func or(_ left: any Predicate, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.or(left.predicateDescriptor.content, right.predicateDescriptor.content))
    }

    /// Returns a predicate that at least one of the predicates holds.
    @_disfavoredOverload
    public static func or<PlainObject>(_ left: Condition<PlainObject>, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.or(left.content, right.predicateDescriptor.content))
    }

    /// Returns a predicate that at least one of the predicates holds.
    @_disfavoredOverload
    public static func or<PlainObject>(_ left: any Predicate, _ right: Condition<PlainObject>) -> any Predicate {
        UntypedPredicate(.or(left.predicateDescriptor.content, right.content))
    }
}
