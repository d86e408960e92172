import SwormPredicates

extension Query {
    /// The attribute has this value.
    public static func equalTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath == value
    }

    /// The attribute has this value.
    public static func equalTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath == value
    }

    /// The attribute has another value.
    public static func notEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath != value
    }

    /// The attribute has another value.
    public static func notEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath != value
    }

    /// The attribute is below this value.
    public static func lessThan<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath < value
    }

    /// The attribute is below this value.
    public static func lessThan<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath < value
    }

    /// The attribute is above this value.
    public static func greaterThan<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath > value
    }

    /// The attribute is above this value.
    public static func greaterThan<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath > value
    }

    /// The attribute is this value or below.
    public static func lessThanOrEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath <= value
    }

    /// The attribute is this value or below.
    public static func lessThanOrEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath <= value
    }

    /// The attribute is this value or above.
    public static func greaterThanOrEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath >= value
    }

    /// The attribute is this value or above.
    public static func greaterThanOrEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath >= value
    }

    /// The attribute has one of these values.
    public static func `in`<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ values: [Value]
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath === values
    }

    /// The attribute lies between these values, or is one of them.
    public static func between<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ lower: Value, _ upper: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        Condition(Operand(keyPath), .between, Operand(values: [lower, upper]))
    }

    /// The attribute has one of these values.
    public static func `in`<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ values: [Value?]
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath === values
    }

    /// The attribute lies between these values, or is one of them.
    public static func between<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ lower: Value, _ upper: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        Condition(Operand(keyPath), .between, Operand(values: [lower, upper]))
    }
}
