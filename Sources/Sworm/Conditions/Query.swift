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
}
