import SwormPredicates

/// Text is compared without regard to case and diacritics, unless `caseInsensitive` is false.
extension Query {
    /// The text contains this one.
    public static func contains<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .contains, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The text contains this one.
    public static func contains<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .contains, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The text begins with this one.
    public static func beginsWith<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .beginsWith, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The text begins with this one.
    public static func beginsWith<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .beginsWith, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The text ends with this one.
    public static func endsWith<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .endsWith, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The text ends with this one.
    public static func endsWith<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .endsWith, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The whole text is like this pattern: `*` stands for any text, `?` for one character.
    public static func like<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .like, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The whole text is like this pattern: `*` stands for any text, `?` for one character.
    public static func like<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .like, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The whole text matches this regular expression.
    public static func matches<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .matches, Operand(value: value), caseInsensitive ? .search : [])
    }

    /// The whole text matches this regular expression.
    public static func matches<PlainObject: ManagedObjectConvertible, Value: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Value?>, _ value: String, caseInsensitive: Bool = true
    ) -> Condition<PlainObject> where Value.PrimitiveAttributeType == String {
        Condition(Operand(keyPath), .matches, Operand(value: value), caseInsensitive ? .search : [])
    }
}
