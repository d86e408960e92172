import SwormPredicates

// The attributes that the cases of an enum of structs share. Their properties need no setter, because values are written into
// the struct of a case.
extension Attribute where PlainObject: SuperentityConvertible {
    /// Creates an entry of the table for a property that all cases share.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property, which may be computed.
    ///   - name: The name of the attribute in the model, and in the tables of the structs.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<V: SupportedAttributeType>(
        shared keyPath: any KeyPath<PlainObject, V> & Sendable, named name: String, _ options: AttributeOption...
    ) {
        self.init(
            reading: keyPath, name: name, options: options, typeName: "\(V.self)", isOptional: false,
            kind: V.PrimitiveAttributeType.primitiveKind,
            isPrimitive: V.self == V.PrimitiveAttributeType.self && V.PrimitiveAttributeType.isNative,
            read: { try $0[keyPath: keyPath].encoded().attributeValue })
    }

    /// Creates an entry of the table for a property that all cases share, and that may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property, which may be computed.
    ///   - name: The name of the attribute in the model, and in the tables of the structs.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<V: SupportedAttributeType>(
        shared keyPath: any KeyPath<PlainObject, V?> & Sendable, named name: String, _ options: AttributeOption...
    ) {
        self.init(
            reading: keyPath, name: name, options: options, typeName: "\(V.self)?", isOptional: true,
            kind: V.PrimitiveAttributeType.primitiveKind,
            isPrimitive: V.self == V.PrimitiveAttributeType.self && V.PrimitiveAttributeType.isNative,
            read: { try $0[keyPath: keyPath]?.encoded().attributeValue ?? .null })
    }

    /// Creates an entry of the table for a composite attribute that all cases share.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property, which may be computed.
    ///   - name: The name of the composite attribute in the model, and in the tables of the structs.
    ///   - options: `.optional` or `.renamed(from:)`. Other options belong to the attributes of the struct.
    public init<V: CompositeConvertible>(
        shared keyPath: any KeyPath<PlainObject, V> & Sendable, named name: String, _ options: AttributeOption...
    ) where PlainObject: CompositeOwner {
        let allowsNil = options.contains(.optional)
        self.init(reading: keyPath, name: name, options: options, isOptional: false, table: { V.composite }) { depth in
            V.lines(depth: depth + 1).map { line in
                line.shared(keyPath, of: name, allowsNil: allowsNil) { $0[keyPath: keyPath] }
            }
        } inner: {
            V.composites(depth: $0 + 1).map { $0.shared(keyPath, of: name) }
        }
    }

    /// Creates an entry of the table for a composite attribute that all cases share, and that may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property, which may be computed.
    ///   - name: The name of the composite attribute in the model, and in the tables of the structs.
    ///   - options: `.renamed(from:)`. Other options belong to the attributes of the struct.
    public init<V: CompositeConvertible>(
        shared keyPath: any KeyPath<PlainObject, V?> & Sendable, named name: String, _ options: AttributeOption...
    ) where PlainObject: CompositeOwner {
        self.init(reading: keyPath, name: name, options: options, isOptional: true, table: { V.composite }) { depth in
            V.lines(depth: depth + 1).map { line in
                line.shared(nil, of: name, allowsNil: true) { $0[keyPath: keyPath] }
            }
        } inner: { _ in
            []
        }
    }

    /// Creates an entry of the table for a property that all cases share, and that is stored as a whole, in a format.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property, which may be computed.
    ///   - name: The name of the attribute in the model, where it is binary data, and in the tables of the structs.
    ///   - format: The format, `.json`.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<V: Codable & SendableMetatype>(
        shared keyPath: any KeyPath<PlainObject, V> & Sendable, named name: String, as format: AttributeFormat,
        _ options: AttributeOption...
    ) {
        self.init(
            reading: keyPath, name: name, options: options, typeName: "\(V.self)", isOptional: false, kind: .data,
            isPrimitive: false,
            read: { .data(try format.encode($0[keyPath: keyPath])) })
    }

    /// Creates an entry of the table for a property that all cases share, may be nil, and is stored as a whole, in a format.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property, which may be computed.
    ///   - name: The name of the attribute in the model, where it is binary data, and in the tables of the structs.
    ///   - format: The format, `.json`.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<V: Codable & SendableMetatype>(
        shared keyPath: any KeyPath<PlainObject, V?> & Sendable, named name: String, as format: AttributeFormat,
        _ options: AttributeOption...
    ) {
        self.init(
            reading: keyPath, name: name, options: options, typeName: "\(V.self)?", isOptional: true, kind: .data,
            isPrimitive: false,
            read: { try $0[keyPath: keyPath].map { .data(try format.encode($0)) } ?? .null })
    }

    private init<V>(
        reading keyPath: any KeyPath<PlainObject, V> & Sendable, name: String, options: [AttributeOption],
        typeName: String, isOptional: Bool, kind: PrimitiveKind, isPrimitive: Bool,
        read: @escaping @Sendable (PlainObject) throws -> AttributeValue
    ) {
        self.name = name
        self.keyPath = keyPath
        self.options = options
        self.isOptional = isOptional
        self.kind = kind
        lines = { _ in
            [
                AttributeLine(
                    name: name, keyPath: keyPath, isOptional: isOptional, kind: kind, options: options,
                    isPrimitive: isPrimitive, typeName: typeName, offset: nil, size: 0, read: read,
                    write: PlainObject.refuseWriting)
            ]
        }
        composites = nil
        table = nil
        memory = nil
    }

    private init<V>(
        reading keyPath: any KeyPath<PlainObject, V> & Sendable, name: String, options: [AttributeOption],
        isOptional: Bool, table: @escaping @Sendable () -> CompositeTable,
        lines: @escaping @Sendable (_ depth: Int) -> [AttributeLine<PlainObject>],
        inner: @escaping @Sendable (_ depth: Int) -> [AttributeComposite<PlainObject>]
    ) {
        self.name = name
        self.keyPath = keyPath
        self.options = options
        self.isOptional = isOptional
        kind = .data
        self.lines = lines
        composites = { depth in
            [.init(shared: keyPath, name: name, isOptional: isOptional, options: options, table: table())]
                + inner(depth)
        }
        self.table = table
        memory = nil
    }
}

extension SuperentityConvertible {
    /// A closure that throws an error: the values of an enum are written into the struct of a case.
    static var refuseWriting: @Sendable (inout Self, AttributeValue) throws -> Void {
        { _, _ in throw unwritable }
    }

    private static var unwritable: StoreError {
        StoreError(
            .unsupported,
            "\(entityName): an attribute cannot be written into the enum; write it into the struct of a case.",
            entity: entityName)
    }
}
