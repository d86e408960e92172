import SwormPredicates

/// Conditions on strings. Strings are compared without regard to case and diacritics, unless `caseInsensitive` is
/// false.
extension Query {
    /// Returns a condition that the string contains the given one.
    public static func contains<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), by: .contains, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the string contains the given one.
    public static func contains<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), by: .contains, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the string starts with the given one.
    public static func beginsWith<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(
            Operand(keyPath), by: .beginsWith, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the string starts with the given one.
    public static func beginsWith<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(
            Operand(keyPath), by: .beginsWith, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the string ends with the given one.
    public static func endsWith<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), by: .endsWith, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the string ends with the given one.
    public static func endsWith<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), by: .endsWith, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the whole string matches a pattern: `*` matches any characters, `?` a single one.
    public static func like<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), by: .like, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the whole string matches a pattern: `*` matches any characters, `?` a single one.
    public static func like<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), by: .like, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the whole string matches a regular expression.
    public static func matches<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), by: .matches, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }

    /// Returns a condition that the whole string matches a regular expression.
    public static func matches<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), by: .matches, with: Operand(value: value), options: caseInsensitive ? .search : [])
    }
}
