package import SwormPredicates

/// One line of a table of attributes: which property of a plain type is which attribute of its entity.
///
/// The property must be a `var`, of a ``SupportedAttributeType`` or an optional of one. It may lie deeper:
/// `\.address.city`.
public struct Attribute<PlainObject: ManagedObjectConvertible>: Sendable {
    /// The name of the attribute in the model.
    public let name: String

    /// The property.
    public let keyPath: any PartialKeyPath<PlainObject> & Sendable

    /// Whether the property is an optional.
    public let isOptional: Bool

    /// How the values are stored.
    public let kind: PrimitiveKind

    /// What the table says beyond name and type.
    public let options: [AttributeOption]

    /// Whether the property's type, without its optional, is the primitive type itself.
    package let isPrimitive: Bool
    /// The property's type as the user wrote it.
    package let typeName: String
    /// Where the property lies in the memory of a struct; nil when it has no place of its own there.
    package let offset: Int?
    /// How many bytes of that memory the property takes.
    package let size: Int
    package let read: @Sendable (PlainObject) throws -> AttributeValue
    package let write: @Sendable (inout PlainObject, AttributeValue) throws -> Void

    /// Makes a line of the table.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - name: The name of the attribute in the model.
    ///   - options: What is to be said beyond that, for a model made from the tables.
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

    /// Makes a line of the table for a property that may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - name: The name of the attribute in the model.
    ///   - options: What is to be said beyond that, for a model made from the tables.
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

    /// Tells what is wrong with a constant, or with a type that no store can hold.
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
    /// Whether two lines say the same: the same property, name and options.
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
    /// Makes a value from what a store holds. Nothing stored is a bad input.
    package static func decode(_ value: AttributeValue) throws -> Self {
        if case .null = value { throw AttributeError.badInput(nil) }
        return try decode(primitiveValue: PrimitiveAttributeType(attributeValue: value))
    }
}
