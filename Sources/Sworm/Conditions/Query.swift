/// The operators under names, for those who prefer them, and for the cases that have no operator.
public enum Query {}

extension Query {
    /// The condition does not hold.
    public static func not<PlainObject>(_ original: Condition<PlainObject>) -> Condition<PlainObject> {
        !original
    }

    /// Both conditions hold.
    public static func and<PlainObject>(
        _ left: Condition<PlainObject>, _ right: Condition<PlainObject>
    ) -> Condition<PlainObject> {
        left && right
    }

    /// At least one of the conditions holds.
    public static func or<PlainObject>(
        _ left: Condition<PlainObject>, _ right: Condition<PlainObject>
    ) -> Condition<PlainObject> {
        left || right
    }

    /// The predicate does not hold.
    @_disfavoredOverload
    public static func not(_ original: any Predicate) -> any Predicate {
        UntypedPredicate(.not(original.predicateDescriptor.content))
    }

    /// Both predicates hold.
    @_disfavoredOverload
    public static func and(_ left: any Predicate, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.and(left.predicateDescriptor.content, right.predicateDescriptor.content))
    }

    /// Both predicates hold.
    @_disfavoredOverload
    public static func and<PlainObject>(_ left: Condition<PlainObject>, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.and(left.content, right.predicateDescriptor.content))
    }

    /// Both predicates hold.
    @_disfavoredOverload
    public static func and<PlainObject>(_ left: any Predicate, _ right: Condition<PlainObject>) -> any Predicate {
        UntypedPredicate(.and(left.predicateDescriptor.content, right.content))
    }

    /// At least one of the predicates holds.
    @_disfavoredOverload
    public static func or(_ left: any Predicate, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.or(left.predicateDescriptor.content, right.predicateDescriptor.content))
    }

    /// At least one of the predicates holds.
    @_disfavoredOverload
    public static func or<PlainObject>(_ left: Condition<PlainObject>, _ right: any Predicate) -> any Predicate {
        UntypedPredicate(.or(left.content, right.predicateDescriptor.content))
    }

    /// At least one of the predicates holds.
    @_disfavoredOverload
    public static func or<PlainObject>(_ left: any Predicate, _ right: Condition<PlainObject>) -> any Predicate {
        UntypedPredicate(.or(left.predicateDescriptor.content, right.content))
    }
}
