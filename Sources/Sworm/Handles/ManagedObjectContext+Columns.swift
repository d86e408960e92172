import SwormPredicates

// One attribute of many objects, without the objects.
extension ManagedObjectContext {
    /// Returns one attribute of the objects that a request finds.
    ///
    /// The result includes unsaved changes of this `perform`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keyPath: A property of the table.
    /// - Throws: A ``StoreError`` if the request is invalid, the property is not in the table, or the store fails.
    ///   ``AttributeError/badAttribute(_:)`` if the type cannot hold a value.
    @discardableResult
    public func fetch<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute>
    ) throws -> [Attribute] {
        try column(of: request, at: keyPath) { value, _ in try Attribute.decode(value) }
    }

    /// Returns one attribute, which may be nil, of the objects that a request finds.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keyPath: A property of the table.
    /// - Throws: The errors of the method for an attribute that is never nil.
    @discardableResult
    public func fetch<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute?>
    ) throws -> [Attribute?] {
        try column(of: request, at: keyPath) { value, _ in value == .null ? nil : try Attribute.decode(value) }
    }

    /// Returns one attribute of the first object that a request finds, or nil if it finds none.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keyPath: A property of the table.
    /// - Throws: The errors of the method for many objects.
    @discardableResult
    public func fetchOne<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute>
    ) throws -> Attribute? {
        try fetch(request.limitedToFirst, keyPath).first
    }

    /// Returns one attribute, which may be nil, of the first object that a request finds.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keyPath: A property of the table.
    /// - Returns: Nil if there is no object, or a nested nil if the object has no value.
    /// - Throws: The errors of the method for many objects.
    @discardableResult
    public func fetchOne<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute?>
    ) throws -> Attribute?? {
        try fetch(request.limitedToFirst, keyPath).first
    }

    /// Returns one attribute of the first object, as Sworm 1.x does.
    ///
    /// This method is chosen if an `Attribute?` is expected. Its result cannot distinguish a missing object from a
    /// missing value.
    @_disfavoredOverload
    @discardableResult
    public func fetchOne<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute?>
    ) throws -> Attribute? {
        try fetch(request.limitedToFirst, keyPath).first ?? nil
    }

    private func column<T, Value>(
        of request: Request<T>, at keyPath: PartialKeyPath<T>, _ decode: (AttributeValue, Int) throws -> Value
    ) throws -> [Value] {
        let binding = try binding(for: T.self)
        let index = try binding.mapping.index(of: keyPath)
        record(request.content, of: binding.mapping, attributes: [binding.mapping.attributes[index].name])
        let values = try translatingErrors {
            if try request.content.isEmpty() { return [AttributeValue]() }
            if let values = try instance.column(at: index, of: request.content, with: binding) { return values }
            return try instance.fetchObjects(request.content, of: binding.entity)
                .map { try binding.value(of: $0, at: index) }
        }
        return try values.map { value in
            do {
                return try decode(value, index)
            } catch {
                throw binding.mapping.attributeError(at: index, value: value, cause: error)
            }
        }
    }
}
