import SwormPredicates

// Attributes that have no single primitive value: composite attributes, and those that are stored in a format.
extension ManagedObject {
    /// Returns a composite attribute of the object.
    ///
    /// - Parameter keyPath: A property of the table.
    /// - Throws: The errors of ``decode()``, and a ``StoreError`` if the property is not in the table.
    public func decode<Value: CompositeConvertible>(_ keyPath: KeyPath<PlainObject, Value>) throws -> Value {
        try decodeWhole(keyPath)
    }

    /// Returns a composite attribute of the object, which may be nil.
    ///
    /// - Parameter keyPath: A property of the table.
    /// - Throws: The errors of ``decode()``, and a ``StoreError`` if the property is not in the table.
    public func decode<Value: CompositeConvertible>(_ keyPath: KeyPath<PlainObject, Value?>) throws -> Value? {
        try decodeWhole(keyPath)
    }

    /// Returns an attribute of the object that is stored in a format.
    ///
    /// - Parameter keyPath: A property of the table.
    /// - Throws: The errors of ``decode()``, and a ``StoreError`` if the property is not in the table.
    @_disfavoredOverload
    public func decode<Value: Codable>(_ keyPath: KeyPath<PlainObject, Value>) throws -> Value {
        try decodeWhole(keyPath)
    }

    /// Writes a composite attribute.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the table.
    ///   - value: The new value of the property.
    /// - Returns: The handle itself.
    /// - Throws: The errors of ``encode(_:)``, and a ``StoreError`` if the property is not in the table.
    @discardableResult
    public func encode<Value: CompositeConvertible>(
        _ keyPath: WritableKeyPath<PlainObject, Value>, _ value: Value
    ) throws -> Self {
        try encodeWhole(value, at: keyPath)
    }

    /// Writes a composite attribute, which may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the table.
    ///   - value: The new value of the property.
    /// - Returns: The handle itself.
    /// - Throws: The errors of ``encode(_:)``, and a ``StoreError`` if the property is not in the table.
    @discardableResult
    public func encode<Value: CompositeConvertible>(
        _ keyPath: WritableKeyPath<PlainObject, Value?>, _ value: Value?
    ) throws -> Self {
        try encodeWhole(value, at: keyPath)
    }

    /// Writes an attribute that is stored in a format.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the table.
    ///   - value: The new value of the property.
    /// - Returns: The handle itself.
    /// - Throws: The errors of ``encode(_:)``, and a ``StoreError`` if the property is not in the table.
    @_disfavoredOverload
    @discardableResult
    public func encode<Value: Codable>(
        _ keyPath: WritableKeyPath<PlainObject, Value>, _ value: Value
    ) throws -> Self {
        try encodeWhole(value, at: keyPath)
    }

    private func indices(of keyPath: PartialKeyPath<PlainObject>) throws -> [Int] {
        try binding.mapping.elements(at: keyPath) ?? [family.index(of: keyPath)]
    }

    private func decodeWhole<Value>(_ keyPath: KeyPath<PlainObject, Value>) throws -> Value {
        try check()
        // The values of an enum of structs are only written into the struct of a case.
        if binding.cases != nil { return try decodeValue()[keyPath: keyPath] }
        var object = binding.mapping.makeEmpty()
        for index in try indices(of: keyPath) {
            try binding.mapping.write(try value(index), at: index, into: &object)
        }
        return object[keyPath: keyPath]
    }

    private func encodeWhole<Value>(_ value: Value, at keyPath: WritableKeyPath<PlainObject, Value>) throws -> Self {
        try checkWriting()
        let mapping = binding.mapping
        let indices = try indices(of: keyPath)
        var object = PlainObject()
        object[keyPath: keyPath] = value
        // All values are read before one is written.
        let values = try indices.map { try mapping.read($0, of: object) }
        try translatingErrors {
            let present = try indices.map { try binding.value(of: instance, at: $0) }
            do {
                for (index, value) in zip(indices, values) { try binding.setValue(value, of: instance, at: index) }
            } catch {
                // Either all elements are written, or none.
                for (index, value) in zip(indices, present) { try? binding.setValue(value, of: instance, at: index) }
                throw error
            }
        }
        return self
    }
}
