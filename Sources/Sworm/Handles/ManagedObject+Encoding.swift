import SwormPredicates

extension ManagedObject {
    /// Writes the attributes of a value into the object.
    ///
    /// Attributes that are already equal are not written. If one attribute cannot be written, none is.
    ///
    /// - Parameter value: The value.
    /// - Returns: The handle itself.
    /// - Throws: A ``StoreError`` if the handle is no longer valid or a value does not fit the model.
    ///   ``AttributeError/badAttribute(_:)`` if a value cannot be encoded.
    @discardableResult
    public func encode(_ value: PlainObject) throws -> Self {
        try checkWriting()
        try binding.mapping.requireNoBranches()
        try translatingErrors { try binding.write(value, into: instance) }
        return self
    }

    /// Writes one attribute.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the table.
    ///   - value: The new value of the property.
    /// - Returns: The handle itself.
    /// - Throws: The errors of ``encode(_:)``, and a ``StoreError`` if the property is not in the table.
    @discardableResult
    public func encode<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Attribute>, _ value: Attribute
    ) throws -> Self {
        try checkWriting()
        return try encode(at: try family.index(of: keyPath)) { try value.encoded().attributeValue }
    }

    /// Writes one attribute, which may be nil.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the table.
    ///   - value: The new value of the property.
    /// - Returns: The handle itself.
    /// - Throws: The errors of ``encode(_:)``, and a ``StoreError`` if the property is not in the table.
    @discardableResult
    public func encode<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Attribute?>, _ value: Attribute?
    ) throws -> Self {
        try checkWriting()
        return try encode(at: try family.index(of: keyPath)) { try value?.encoded().attributeValue ?? .null }
    }

    /// Writes an attribute. The caller has checked the handle.
    private func encode(at index: Int, _ value: () throws -> AttributeValue) throws -> Self {
        let encoded: AttributeValue
        do {
            encoded = try value()
        } catch {
            throw binding.mapping.attributeError(at: index, value: nil, cause: error)
        }
        try translatingErrors { try binding.setValue(encoded, of: instance, at: index) }
        return self
    }
}
