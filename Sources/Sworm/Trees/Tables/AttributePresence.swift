/// The meaning of nil in a tree's property for an attribute that must have a value.
public struct AttributePresence: Sendable, Hashable {
    /// A property that is nil is left out of the tree: a save does not change the attribute, and gives a new object the
    /// default of the model.
    public static let ifPresent = AttributePresence()
}

extension Attribute where PlainObject: ManagedTreeConvertible {
    /// Creates an entry of a tree's table for an attribute that must have a value, in a property that may be left out of the
    /// tree: the body of a PATCH.
    ///
    /// ```swift
    /// static let attributes: Set<Attribute<BookPatch>> = [.init(\.isbn, \.isbn), .init(\.title, \.title, .ifPresent)]
    /// ```
    /// - Parameters:
    ///   - keyPath: The key path of the tree's property, an optional.
    ///   - source: The key path of the property of the entity's type.
    ///   - presence: The meaning of nil.
    public init<V: SupportedAttributeType>(
        _ keyPath: any WritableKeyPath<PlainObject, V?> & Sendable,
        _ source: any KeyPath<PlainObject.Entity, V> & Sendable, _ presence: AttributePresence
    ) {
        self.init(keyPath, Self.name(of: source))
        isPartial = true
    }

    /// Creates an entry of a tree's table for an attribute that may be nil, in a property that may be left out of the tree:
    /// nil is left out, and `.some(nil)` is nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the tree's property, an optional of an optional.
    ///   - source: The key path of the property of the entity's type.
    public init<V: SupportedAttributeType>(
        _ keyPath: any WritableKeyPath<PlainObject, V??> & Sendable,
        _ source: any KeyPath<PlainObject.Entity, V?> & Sendable
    ) {
        self.init(
            at: keyPath, name: Self.name(of: source), options: [], typeName: "\(V.self)??", isOptional: true,
            kind: V.PrimitiveAttributeType.primitiveKind, isPrimitive: false,
            read: { try $0[keyPath: keyPath]?.map { try $0.encoded().attributeValue } ?? .null },
            write: { $0[keyPath: keyPath] = .some($1 == .null ? nil : try V.decode($1)) })
        isPartial = true
        isLeftOut = { $0[keyPath: keyPath] == nil }
    }
}
