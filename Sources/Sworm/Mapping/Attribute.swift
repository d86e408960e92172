import SwormPredicates

/// An entry of a table of attributes, which maps a property of a plain type to an attribute of its entity.
///
/// The property must be a `var` whose type is a ``SupportedAttributeType`` or an optional of one. It may be nested:
/// `\.address.city`.
public struct Attribute<PlainObject: ManagedObjectConvertible>: Sendable {
    /// The name of the attribute in the model.
    public let name: String

    /// The key path of the property.
    public let keyPath: any PartialKeyPath<PlainObject> & Sendable

    /// Whether the property is an optional.
    public let isOptional: Bool

    /// The kind of primitive value that is stored.
    public let kind: PrimitiveKind

    /// The options of the attribute, in addition to its name and type.
    public let options: [AttributeOption]

    /// Whether the property's type, without its optional, is the primitive type itself.
    let isPrimitive: Bool
    /// The property's type as it is written in the user's code.
    let typeName: String
    /// The offset of the property in the memory of a struct, or nil if it has no separate storage there.
    let offset: Int?
    /// The size of the property in that memory, in bytes.
    let size: Int
    let read: @Sendable (PlainObject) throws -> AttributeValue
    let write: @Sendable (inout PlainObject, AttributeValue) throws -> Void

    /// Creates an entry of the table.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - name: The name of the attribute in the model.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<V: SupportedAttributeType>(
        _ keyPath: any WritableKeyPath<PlainObject, V> & Sendable, _ name: String, _ options: AttributeOption...
    ) {
        self.name = name
        self.keyPath = keyPath
        self.options = options
        isOptional = false
        kind = V.PrimitiveAttributeType.primitiveKind
        isPrimitive = V.self == V.PrimitiveAttributeType.self && V.PrimitiveAttributeType.isNative
        typeName = "\(V.self)"
        offset = MemoryLayout<PlainObject>.offset(of: keyPath)
        size = MemoryLayout<V>.size
        read = { try $0[keyPath: keyPath].encoded().attributeValue }
        write = { $0[keyPath: keyPath] = try V.decode($1) }
    }

    /// Creates an entry of the table for a property that may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - name: The name of the attribute in the model.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<V: SupportedAttributeType>(
        _ keyPath: any WritableKeyPath<PlainObject, V?> & Sendable, _ name: String, _ options: AttributeOption...
    ) {
        self.name = name
        self.keyPath = keyPath
        self.options = options
        isOptional = true
        kind = V.PrimitiveAttributeType.primitiveKind
        isPrimitive = V.self == V.PrimitiveAttributeType.self && V.PrimitiveAttributeType.isNative
        typeName = "\(V.self)?"
        offset = MemoryLayout<PlainObject>.offset(of: keyPath)
        size = MemoryLayout<V?>.size
        read = { try $0[keyPath: keyPath]?.encoded().attributeValue ?? .null }
        write = { $0[keyPath: keyPath] = $1 == .null ? nil : try V.decode($1) }
    }

    /// Explains at compile time why a constant, or a type that no store can hold, is not an attribute.
    @available(*, unavailable, message: "an attribute needs a stored `var` whose type is a SupportedAttributeType")
    public init<V>(
        _ keyPath: any KeyPath<PlainObject, V> & Sendable, _ name: String, _ options: AttributeOption...
    ) {
        self.name = name
        self.keyPath = keyPath
        self.options = options
        isOptional = false
        kind = .data
        isPrimitive = false
        typeName = "\(V.self)"
        offset = nil
        size = 0
        read = { _ in .null }
        write = { _, _ in }
    }
}

extension Attribute: Hashable {
    /// Returns whether two entries are equal: the same property, name and options.
    public static func == (left: Attribute, right: Attribute) -> Bool {
        (left.keyPath as AnyKeyPath) == right.keyPath && left.name == right.name && left.options == right.options
    }

    /// Feeds the property and its name into a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(keyPath as AnyKeyPath)
        hasher.combine(name)
    }
}

extension SupportedAttributeType {
    /// Creates a value from a stored value. Throws ``AttributeError/badInput(_:)`` if the stored value is null.
    static func decode(_ value: AttributeValue) throws -> Self {
        if case .null = value { throw AttributeError.badInput(nil) }
        return try decode(primitiveValue: PrimitiveAttributeType(attributeValue: value))
    }
}
