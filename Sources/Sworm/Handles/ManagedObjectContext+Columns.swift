import SwormPredicates

// One attribute of many objects, without the objects.
extension ManagedObjectContext {
    /// One attribute of the objects that a request finds.
    ///
    /// Unsaved changes of this `perform` count, as everywhere.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keyPath: A property of the table.
    /// - Throws: A ``StoreError`` when the request is wrong, the property is not in the table, or the store fails;
    ///   ``AttributeError/badAttribute(_:)`` for a value that the type cannot hold.
    @discardableResult
    public func fetch<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute>
    ) throws -> [Attribute] {
        try column(request, keyPath) { value, _ in try Attribute.decode(value) }
    }

    /// One attribute, which may be nil, of the objects that a request finds.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keyPath: A property of the table.
    /// - Throws: As for an attribute that is never nil.
    @discardableResult
    public func fetch<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute?>
    ) throws -> [Attribute?] {
        try column(request, keyPath) { value, _ in value == .null ? nil : try Attribute.decode(value) }
    }

    /// One attribute of the first object that a request finds; nil when it finds none.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keyPath: A property of the table.
    /// - Throws: As for many objects.
    @discardableResult
    public func fetchOne<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute>
    ) throws -> Attribute? {
        try fetch(request.limitedToFirst, keyPath).first
    }

    /// One attribute, which may be nil, of the first object that a request finds.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keyPath: A property of the table.
    /// - Returns: Nil when there is no object; a nil inside when the object has no value.
    /// - Throws: As for many objects.
    @discardableResult
    public func fetchOne<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute?>
    ) throws -> Attribute?? {
        try fetch(request.limitedToFirst, keyPath).first
    }

    /// The form of Sworm 1.x, chosen where an `Attribute?` is expected: it cannot tell no object from no value.
    @_disfavoredOverload
    @discardableResult
    public func fetchOne<PlainObject: ManagedObjectConvertible, Attribute: SupportedAttributeType>(
        _ request: Request<PlainObject>, _ keyPath: KeyPath<PlainObject, Attribute?>
    ) throws -> Attribute? {
        try fetch(request.limitedToFirst, keyPath).first ?? nil
    }

    private func column<T, Value>(
        _ request: Request<T>, _ keyPath: PartialKeyPath<T>, _ decode: (AttributeValue, Int) throws -> Value
    ) throws -> [Value] {
        let binding = try binding(for: T.self)
        let index = try binding.plan.index(of: keyPath)
        let values = try Engine.translating {
            let query = try EngineQuery(request.content, of: binding.entity)
            if query.isEmpty { return [AttributeValue]() }
            if let values = try Engine.column(query, index, binding, in: instance) { return values }
            return try Engine.fetch(query, in: instance).map { try Engine.value($0, index, binding) }
        }
        return try values.map { value in
            do {
                return try decode(value, index)
            } catch {
                throw binding.plan.attributeError(index, value: value, error)
            }
        }
    }
}
