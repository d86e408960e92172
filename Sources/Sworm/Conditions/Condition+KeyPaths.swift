import SwormPredicates

// The operators on key paths of attributes that cannot be nil. They accept any key path and convert it to a name
// immediately, so that a condition stores no key path and is sendable.

/// Returns a condition that the attribute equals the value.
public func == <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
    Condition(Operand(keyPath), by: .equal, with: Operand(value: value))
}

/// Returns a condition that the attribute differs from the value.
public func != <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
    Condition(Operand(keyPath), by: .notEqual, with: Operand(value: value))
}

/// Returns a condition that the attribute is less than the value.
public func < <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
    Condition(Operand(keyPath), by: .less, with: Operand(value: value))
}

/// Returns a condition that the attribute is greater than the value.
public func > <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
    Condition(Operand(keyPath), by: .greater, with: Operand(value: value))
}

/// Returns a condition that the attribute is less than or equal to the value.
public func <= <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
    Condition(Operand(keyPath), by: .lessOrEqual, with: Operand(value: value))
}

/// Returns a condition that the attribute is greater than or equal to the value.
public func >= <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
    Condition(Operand(keyPath), by: .greaterOrEqual, with: Operand(value: value))
}

/// Returns a condition that the attribute is one of the values.
public func === <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, values: [Value]
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
    Condition(Operand(keyPath), by: .in, with: Operand(values: values))
}
