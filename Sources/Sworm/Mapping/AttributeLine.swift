import SwormPredicates

/// A line of a table of attributes that has one value; for a composite attribute, a line for each of its elements.
struct AttributeLine<Owner: SendableMetatype>: Sendable {
    /// The name of the attribute; for an element, the path `composite.element`.
    var name: String
    /// The key path of the property; nil for an element of an optional composite, to which no key path leads.
    // Unsafe: key paths are not `Sendable` in general. The key paths of a table are, and those that are composed of them.
    nonisolated(unsafe) var keyPath: PartialKeyPath<Owner>?
    var isOptional: Bool
    var kind: PrimitiveKind
    var options: [AttributeOption]
    /// Whether the property's type, without its optional, is the primitive type itself.
    var isPrimitive: Bool
    /// The property's type as it is written in the user's code.
    var typeName: String
    /// The offset of the property in the memory of a struct, or nil if it has no separate storage there.
    var offset: Int?
    /// The size of the property in that memory, in bytes.
    var size: Int
    var read: @Sendable (Owner) throws -> AttributeValue
    var write: @Sendable (inout Owner, AttributeValue) throws -> Void

    /// Returns the line of an element as a line of a type that has the composite as a property.
    func inside<T>(_ property: any WritableKeyPath<T, Owner> & Sendable, of name: String, isOptional isMissing: Bool)
        -> AttributeLine<T>
    {
        let (read, write) = (read, write)
        let start = MemoryLayout<T>.offset(of: property)
        return element(
            of: name, keyPath: keyPath.flatMap { (property as PartialKeyPath<T>).appending(path: $0) },
            isOptional: isOptional, allowsNil: isMissing, offset: start.flatMap { start in offset.map { start + $0 } },
            read: { try read($0[keyPath: property]) }, write: { try write(&$0[keyPath: property], $1) })
    }

    /// Returns the line as a line of a type that holds a whole value of its owner.
    func inside<T>(_ property: any WritableKeyPath<T, Owner> & Sendable) -> AttributeLine<T> {
        let (read, write) = (read, write)
        let start = MemoryLayout<T>.offset(of: property)
        return AttributeLine<T>(
            name: name, keyPath: keyPath.flatMap { (property as PartialKeyPath<T>).appending(path: $0) },
            isOptional: isOptional, kind: kind, options: options, isPrimitive: isPrimitive, typeName: typeName,
            offset: start.flatMap { start in offset.map { start + $0 } }, size: size,
            read: { try read($0[keyPath: property]) }, write: { try write(&$0[keyPath: property], $1) })
    }

    /// Returns the line of an element as a line of a type that has the composite as an optional property.
    ///
    /// The composite is created for the first element with a value. The ones before have none.
    ///
    /// - Parameters:
    ///   - before: The lines before this one.
    ///   - clears: Closures that remove the values of the composite's optional composites.
    func inside<T>(
        optional property: any WritableKeyPath<T, Owner?> & Sendable, of name: String, after before: [AttributeLine],
        clearing clears: [@Sendable (inout Owner) -> Void]
    ) -> AttributeLine<T> where Owner: CompositeConvertible {
        let (read, write) = (read, write)
        return element(
            of: name, keyPath: nil, isOptional: true, allowsNil: true, offset: nil,
            read: { try $0[keyPath: property].map(read) ?? .null },
            write: { object, value in
                if var composite = object[keyPath: property] {
                    try write(&composite, value)
                    object[keyPath: property] = composite
                } else if value != .null {
                    var composite = Owner()
                    for clear in clears { clear(&composite) }
                    for line in before { try line.write(&composite, .null) }
                    try write(&composite, value)
                    object[keyPath: property] = composite
                }
            })
    }

    /// Returns the line of an element as a line of an enum of structs whose cases share the composite. It is only read,
    /// because the values of an enum are written into the struct of a case.
    ///
    /// - Parameters:
    ///   - read: Returns the composite; nil if it has no value.
    ///   - property: The key path of the composite; nil if it is optional.
    func shared<T: SuperentityConvertible>(
        _ property: PartialKeyPath<T>?, of name: String, allowsNil: Bool,
        from composite: @escaping @Sendable (T) -> Owner?
    ) -> AttributeLine<T> {
        let read = read
        return element(
            of: name, keyPath: property.flatMap { property in keyPath.flatMap { property.appending(path: $0) } },
            isOptional: isOptional || property == nil, allowsNil: allowsNil, offset: nil,
            read: { try composite($0).map(read) ?? .null }, write: T.refuseWriting)
    }

    private func element<T>(
        of composite: String, keyPath: PartialKeyPath<T>?, isOptional: Bool, allowsNil: Bool, offset: Int?,
        read: @escaping @Sendable (T) throws -> AttributeValue,
        write: @escaping @Sendable (inout T, AttributeValue) throws -> Void
    ) -> AttributeLine<T> {
        AttributeLine<T>(
            name: "\(composite).\(name)", keyPath: keyPath, isOptional: isOptional, kind: kind,
            options: allowsNil ? options + [.optional] : options, isPrimitive: isPrimitive, typeName: typeName,
            offset: offset, size: size, read: read, write: write)
    }
}
