import SwormPredicates

// The operators on key paths of attributes that cannot be nil.
// They take any key path and turn it into a name at once, so that a condition holds no key path and is sendable.

/// The attribute has this value.
public func == <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
    Condition(Operand(keyPath), .equal, Operand(value: value))
}

/// The attribute has another value.
public func != <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
    Condition(Operand(keyPath), .notEqual, Operand(value: value))
}

/// The attribute is below this value.
public func < <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
    Condition(Operand(keyPath), .less, Operand(value: value))
}

/// The attribute is above this value.
public func > <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
    Condition(Operand(keyPath), .greater, Operand(value: value))
}

/// The attribute is this value or below.
public func <= <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
    Condition(Operand(keyPath), .lessOrEqual, Operand(value: value))
}

/// The attribute is this value or above.
public func >= <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, value: Value
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Comparable {
    Condition(Operand(keyPath), .greaterOrEqual, Operand(value: value))
}

/// The attribute has one of these values.
public func === <PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
    keyPath: KeyPath<PlainObject, Value>, values: [Value]
) -> Condition<PlainObject> where Value.PrimitiveAttributeType: Equatable {
    Condition(Operand(keyPath), .in, Operand(values: values))
}
