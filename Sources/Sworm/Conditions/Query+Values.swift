import SwormPredicates

extension Query {
    /// Returns a condition that the attribute equals the value.
    public static func equalTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath == value
    }

    /// Returns a condition that the attribute equals the value.
    public static func equalTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath == value
    }

    /// Returns a condition that the attribute differs from the value.
    public static func notEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath != value
    }

    /// Returns a condition that the attribute differs from the value.
    public static func notEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath != value
    }

    /// Returns a condition that the attribute is less than the value.
    public static func lessThan<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath < value
    }

    /// Returns a condition that the attribute is less than the value.
    public static func lessThan<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath < value
    }

    /// Returns a condition that the attribute is greater than the value.
    public static func greaterThan<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath > value
    }

    /// Returns a condition that the attribute is greater than the value.
    public static func greaterThan<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath > value
    }

    /// Returns a condition that the attribute is less than or equal to the value.
    public static func lessThanOrEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath <= value
    }

    /// Returns a condition that the attribute is less than or equal to the value.
    public static func lessThanOrEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath <= value
    }

    /// Returns a condition that the attribute is greater than or equal to the value.
    public static func greaterThanOrEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath >= value
    }

    /// Returns a condition that the attribute is greater than or equal to the value.
    public static func greaterThanOrEqualTo<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: Value?
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        keyPath >= value
    }

    /// Returns a condition that the attribute is one of the values.
    public static func `in`<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ values: [Value]
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath === values
    }

    /// Returns a condition that the attribute is between two values, including both.
    public static func between<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ lower: Value, _ upper: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        Condition(Operand(keyPath), by: .between, with: Operand(values: [lower, upper]))
    }

    /// Returns a condition that the attribute is one of the values.
    public static func `in`<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ values: [Value?]
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
        keyPath === values
    }

    /// Returns a condition that the attribute is between two values, including both.
    public static func between<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ lower: Value, _ upper: Value
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
        Condition(Operand(keyPath), by: .between, with: Operand(values: [lower, upper]))
    }
}
