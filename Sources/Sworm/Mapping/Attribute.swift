import SwormPredicates

/// An entry of a table of attributes, which maps a property of a plain type to an attribute of its entity.
///
/// The property must be a `var` whose type is a ``SupportedAttributeType`` or a ``CompositeConvertible``, or an optional of
/// one. It may be nested: `\.address.city`. A property of any other `Codable` type is stored as JSON:
/// `.init(\.style, "style", .json)`.
public struct Attribute<PlainObject: SendableMetatype>: Sendable {
    /// The name of the attribute in the model.
    public let name: String

    /// The key path of the property.
    public let keyPath: any PartialKeyPath<PlainObject> & Sendable

    /// Whether the property is an optional.
    public let isOptional: Bool

    /// The kind of primitive value that is stored; `data` for a composite attribute, whose elements have kinds of their own.
    public let kind: PrimitiveKind

    /// The options of the attribute, in addition to its name and type.
    public let options: [AttributeOption]

    /// Returns the lines of the values that are stored: one, or those of the elements of a composite.
    ///
    /// The number is that of the enclosing composites. Types that contain themselves, which are a fault of their tables, end
    /// at a limit.
    let lines: @Sendable (_ depth: Int) -> [AttributeLine<PlainObject>]
    /// Returns a composite and those that it contains; nil for any other attribute.
    let composites: (@Sendable (_ depth: Int) -> [AttributeComposite<PlainObject>])?
    /// Returns the elements of a composite; nil for any other attribute.
    let table: (@Sendable () -> CompositeTable)?
    /// The part of the memory of a struct that reading the attribute writes as a whole; nil if it has none, or the lines
    /// name their own parts.
    let memory: Range<Int>?
    /// Whether a tree may leave the attribute out; see ``AttributePresence``.
    var isPartial = false
    /// Returns whether a tree leaves the attribute out; nil if a tree does so by a null value.
    var isLeftOut: (@Sendable (PlainObject) -> Bool)?

    /// Creates an entry of the table.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - name: The name of the attribute in the model.
    ///   - options: Additional options, for a model that is created from the tables.
    public init<V: SupportedAttributeType>(
        _ keyPath: any WritableKeyPath<PlainObject, V> & Sendable, _ name: String, _ options: AttributeOption...
    ) {
        self.init(
            at: keyPath, name: name, options: options, typeName: "\(V.self)", isOptional: false,
            kind: V.PrimitiveAttributeType.primitiveKind,
            isPrimitive: V.isPrimitive,
            read: { try $0[keyPath: keyPath].encoded().attributeValue },
            write: { $0[keyPath: keyPath] = try V.decode($1) })
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
        self.init(
            at: keyPath, name: name, options: options, typeName: "\(V.self)?", isOptional: true,
            kind: V.PrimitiveAttributeType.primitiveKind,
            isPrimitive: V.isPrimitive,
            read: { try $0[keyPath: keyPath]?.encoded().attributeValue ?? .null },
            write: { $0[keyPath: keyPath] = $1 == .null ? nil : try V.decode($1) })
    }

    /// Creates an entry of the table for a struct whose properties have columns of their own.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - name: The name of the composite attribute in the model.
    ///   - options: `.optional` or `.renamed(from:)`. Other options belong to the attributes of the struct.
    public init<V: CompositeConvertible>(
        _ keyPath: any WritableKeyPath<PlainObject, V> & Sendable, _ name: String, _ options: AttributeOption...
    ) where PlainObject: CompositeOwner {
        self.init(composite: keyPath, name: name, options: options)
    }

    /// Creates an entry of the table for a struct whose properties have columns of their own, and which may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - name: The name of the composite attribute in the model.
    ///   - options: `.renamed(from:)`. Other options belong to the attributes of the struct.
    public init<V: CompositeConvertible>(
        _ keyPath: any WritableKeyPath<PlainObject, V?> & Sendable, _ name: String, _ options: AttributeOption...
    ) where PlainObject: CompositeOwner {
        self.init(optionalComposite: keyPath, name: name, options: options)
    }

    init<V: CompositeConvertible>(
        composite keyPath: any WritableKeyPath<PlainObject, V> & Sendable, name: String, options: [AttributeOption]
    ) {
        self.name = name
        self.keyPath = keyPath
        self.options = options
        isOptional = false
        kind = .data
        let isMissing = options.contains(.optional)
        lines = { V.lines(depth: $0 + 1).map { $0.inside(keyPath, of: name, isOptional: isMissing) } }
        composites = { depth in
            let own = AttributeComposite(keyPath, name: name, options: options, table: V.composite)
            return [own] + V.composites(depth: depth + 1).map { $0.inside(keyPath, of: name) }
        }
        table = { V.composite }
        memory = nil
    }

    init<V: CompositeConvertible>(
        optionalComposite keyPath: any WritableKeyPath<PlainObject, V?> & Sendable, name: String,
        options: [AttributeOption]
    ) {
        self.name = name
        self.keyPath = keyPath
        self.options = options
        isOptional = true
        kind = .data
        lines = { depth in
            let lines = V.lines(depth: depth + 1)
            let clears = V.composites(depth: depth + 1).compactMap(\.clear)
            return lines.indices.map {
                lines[$0].inside(optional: keyPath, of: name, after: Array(lines[..<$0]), clearing: clears)
            }
        }
        composites = { _ in [AttributeComposite(optional: keyPath, name: name, options: options, table: V.composite)] }
        table = { V.composite }
        memory = MemoryLayout<PlainObject>.offset(of: keyPath).map { $0..<$0 + MemoryLayout<V?>.size }
    }

    /// Creates an entry of the table for a property that is stored as a whole, in a format.
    ///
    /// The type needs no conformance but `Codable`. Conditions cannot look inside of the value, or compare it.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - name: The name of the attribute in the model, where it is binary data.
    ///   - format: The format, `.json`.
    ///   - options: Additional options, for a model that is created from the tables.
    @_disfavoredOverload
    public init<V: Codable & SendableMetatype>(
        _ keyPath: any WritableKeyPath<PlainObject, V> & Sendable, _ name: String, _ format: AttributeFormat,
        _ options: AttributeOption...
    ) {
        self.init(
            at: keyPath, name: name, options: options, typeName: "\(V.self)", isOptional: false, kind: .data,
            isPrimitive: false,
            read: { .data(try format.encode($0[keyPath: keyPath])) },
            write: { $0[keyPath: keyPath] = try format.decode(V.self, from: $1) })
    }

    /// Creates an entry of the table for a property that may be nil, and is stored as a whole, in a format.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - name: The name of the attribute in the model, where it is binary data.
    ///   - format: The format, `.json`.
    ///   - options: Additional options, for a model that is created from the tables.
    @_disfavoredOverload
    public init<V: Codable & SendableMetatype>(
        _ keyPath: any WritableKeyPath<PlainObject, V?> & Sendable, _ name: String, _ format: AttributeFormat,
        _ options: AttributeOption...
    ) {
        self.init(
            at: keyPath, name: name, options: options, typeName: "\(V.self)?", isOptional: true, kind: .data,
            isPrimitive: false,
            read: { try $0[keyPath: keyPath].map { .data(try format.encode($0)) } ?? .null },
            write: { $0[keyPath: keyPath] = $1 == .null ? nil : try format.decode(V.self, from: $1) })
    }

    init<V>(
        at keyPath: any WritableKeyPath<PlainObject, V> & Sendable, name: String, options: [AttributeOption],
        typeName: String, isOptional: Bool, kind: PrimitiveKind, isPrimitive: Bool,
        read: @escaping @Sendable (PlainObject) throws -> AttributeValue,
        write: @escaping @Sendable (inout PlainObject, AttributeValue) throws -> Void
    ) {
        self.name = name
        self.keyPath = keyPath
        self.options = options
        self.isOptional = isOptional
        self.kind = kind
        let (offset, size) = (MemoryLayout<PlainObject>.offset(of: keyPath), MemoryLayout<V>.size)
        lines = { _ in
            [
                AttributeLine(
                    name: name, keyPath: keyPath, isOptional: isOptional, kind: kind, options: options,
                    isPrimitive: isPrimitive, typeName: typeName, offset: offset, size: size, read: read, write: write)
            ]
        }
        composites = nil
        table = nil
        memory = offset.map { $0..<$0 + size }
    }

    /// Explains at compile time why a constant, or a type that no store can hold, is not an attribute.
    @available(
        *, unavailable,
        message:
            "an attribute needs a stored `var` whose type is a SupportedAttributeType or a CompositeConvertible; other Codable types need `.json`, and a property that the cases of an enum share needs `shared:`"
    )
    public init<V>(
        _ keyPath: any KeyPath<PlainObject, V> & Sendable, _ name: String, _ options: AttributeOption...
    ) {
        self.init(unnamed: keyPath, options: options)
    }

    /// Creates an entry without values, for initializers that are unavailable.
    init(unnamed keyPath: any PartialKeyPath<PlainObject> & Sendable, options: [AttributeOption]) {
        name = ""
        self.keyPath = keyPath
        self.options = options
        isOptional = false
        kind = .data
        lines = { _ in [] }
        composites = nil
        table = nil
        memory = nil
    }

    /// Creates an entry from one of another type.
    init<Other>(
        _ entry: Attribute<Other>, keyPath: any PartialKeyPath<PlainObject> & Sendable,
        lines: @escaping @Sendable (_ depth: Int) -> [AttributeLine<PlainObject>],
        composites: (@Sendable (_ depth: Int) -> [AttributeComposite<PlainObject>])?, memory: Range<Int>?
    ) {
        name = entry.name
        self.keyPath = keyPath
        options = entry.options
        isOptional = entry.isOptional
        kind = entry.kind
        self.lines = lines
        self.composites = composites
        table = entry.table
        self.memory = memory
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
