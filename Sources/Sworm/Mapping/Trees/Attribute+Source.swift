// The attributes of a tree, named by the properties of the type at its root.
extension Attribute where PlainObject: ManagedTreeConvertible {
    /// Creates an entry of a tree's table for the attribute that a property of the entity's own type represents.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the tree's property.
    ///   - source: The key path of the property of the entity's type. Both properties have the same type.
    public init<V: SupportedAttributeType>(
        _ keyPath: any WritableKeyPath<PlainObject, V> & Sendable,
        _ source: any KeyPath<PlainObject.Entity, V> & Sendable
    ) {
        self.init(
            at: keyPath, name: Self.name(of: source), options: [], typeName: "\(V.self)", isOptional: false,
            kind: V.PrimitiveAttributeType.primitiveKind, isPrimitive: V.isPrimitive,
            read: { try $0[keyPath: keyPath].encoded().attributeValue },
            write: { $0[keyPath: keyPath] = try V.decode($1) })
    }

    /// Creates an entry of a tree's table for an attribute that may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the tree's property.
    ///   - source: The key path of the property of the entity's type. Both properties have the same type.
    public init<V: SupportedAttributeType>(
        _ keyPath: any WritableKeyPath<PlainObject, V?> & Sendable,
        _ source: any KeyPath<PlainObject.Entity, V?> & Sendable
    ) {
        self.init(
            at: keyPath, name: Self.name(of: source), options: [], typeName: "\(V.self)?", isOptional: true,
            kind: V.PrimitiveAttributeType.primitiveKind, isPrimitive: V.isPrimitive,
            read: { try $0[keyPath: keyPath]?.encoded().attributeValue ?? .null },
            write: { $0[keyPath: keyPath] = $1 == .null ? nil : try V.decode($1) })
    }

    /// Creates an entry of a tree's table for a composite attribute.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the tree's property.
    ///   - source: The key path of the property of the entity's type. Both properties have the same type.
    public init<V: CompositeConvertible>(
        _ keyPath: any WritableKeyPath<PlainObject, V> & Sendable,
        _ source: any KeyPath<PlainObject.Entity, V> & Sendable
    ) where PlainObject.Entity: CompositeOwner {
        let entry = Self.entry(of: source)
        self.init(composite: keyPath, name: entry?.name ?? "", options: entry?.options ?? [])
    }

    /// Creates an entry of a tree's table for a composite attribute that may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the tree's property.
    ///   - source: The key path of the property of the entity's type. Both properties have the same type.
    public init<V: CompositeConvertible>(
        _ keyPath: any WritableKeyPath<PlainObject, V?> & Sendable,
        _ source: any KeyPath<PlainObject.Entity, V?> & Sendable
    ) where PlainObject.Entity: CompositeOwner {
        let entry = Self.entry(of: source)
        self.init(optionalComposite: keyPath, name: entry?.name ?? "", options: entry?.options ?? [])
    }

    /// Creates an entry of a tree's table for an attribute that is stored as a whole, as JSON.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the tree's property.
    ///   - source: The key path of the property of the entity's type. Both properties have the same type.
    @_disfavoredOverload
    public init<V: Codable & SendableMetatype>(
        _ keyPath: any WritableKeyPath<PlainObject, V> & Sendable,
        _ source: any KeyPath<PlainObject.Entity, V> & Sendable
    ) {
        self.init(keyPath, Self.name(of: source), .json)
    }

    /// Creates an entry of a tree's table for an attribute that may be nil, and is stored as a whole, as JSON.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the tree's property.
    ///   - source: The key path of the property of the entity's type. Both properties have the same type.
    @_disfavoredOverload
    public init<V: Codable & SendableMetatype>(
        _ keyPath: any WritableKeyPath<PlainObject, V?> & Sendable,
        _ source: any KeyPath<PlainObject.Entity, V?> & Sendable
    ) {
        self.init(keyPath, Self.name(of: source), .json)
    }

    /// The table of the entity is read, and not its mapping, which may be built at this moment.
    private static func entry<V>(
        of source: any KeyPath<PlainObject.Entity, V> & Sendable
    ) -> Attribute<PlainObject.Entity>? {
        PlainObject.Entity.attributes.first { ($0.keyPath as AnyKeyPath) == (source as AnyKeyPath) }
    }

    static func name<V>(of source: any KeyPath<PlainObject.Entity, V> & Sendable) -> String {
        entry(of: source)?.name ?? ""
    }
}

extension Attribute where PlainObject: ManagedObjectConvertible {
    /// Unavailable: the type's own table names the attributes of the model.
    @available(
        *, unavailable,
        message:
            "the table of an entity names its attributes by strings, as in `.init(\\.title, \"title\")`; key paths are for trees over it"
    )
    public init<V>(
        _ keyPath: any KeyPath<PlainObject, V> & Sendable, _ source: any KeyPath<PlainObject, V> & Sendable
    ) {
        self.init(unnamed: keyPath, options: [])
    }
}

extension SupportedAttributeType {
    /// Whether the type itself is stored.
    static var isPrimitive: Bool { Self.self == PrimitiveAttributeType.self && PrimitiveAttributeType.isNative }
}
