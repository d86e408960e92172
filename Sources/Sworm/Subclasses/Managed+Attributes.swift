// Properties that are attributes.
extension Managed {
    /// Declares an attribute that always has a value.
    ///
    /// - Parameter name: The name of the attribute in the model.
    public init(_ name: String) where Value: NonOptionalAttribute {
        self.init(name, fallback: Value.valueForNil, access: AttributeAccess<Value>.self)
    }

    /// Declares an attribute that always has a value, for example one of an enumeration.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute in the model.
    ///   - fallback: The value of an object whose attribute is nil, or holds a value that the type does not have.
    public init(_ name: String, default fallback: Value) where Value: SupportedAttributeType {
        self.init(name, fallback: fallback, access: AttributeAccess<Value>.self)
    }

    /// Declares an optional attribute.
    ///
    /// - Parameter name: The name of the attribute in the model.
    public init<Wrapped: SupportedAttributeType>(_ name: String) where Value == Wrapped? {
        self.init(name, fallback: nil, access: OptionalAttributeAccess<Wrapped>.self)
    }

    /// Declares a composite attribute that always has a value.
    ///
    /// An element that has no value has that of a new struct.
    ///
    /// - Parameter name: The name of the attribute in the model.
    public init(_ name: String) where Value: CompositeConvertible {
        self.init(name, fallback: Value(), access: CompositeAccess<Value>.self)
    }

    /// Declares an optional composite attribute. It is nil if no element has a value.
    ///
    /// - Parameter name: The name of the attribute in the model.
    public init<Composite: CompositeConvertible>(_ name: String) where Value == Composite? {
        self.init(name, fallback: nil, access: OptionalCompositeAccess<Composite>.self)
    }

    /// Declares a property that has the value of key-value coding: a transformable attribute, or a composite attribute as
    /// a dictionary.
    ///
    /// ```swift
    /// @Managed(keyed: "tint") var tint: Any?
    /// @Managed(keyed: "address") var address: [String: Any]?
    /// ```
    /// A transformable attribute has the object that its value transformer returns. With OpenCoreData, the transformer must be
    /// registered with `ValueTransformer.setValueTransformer(_:forName:)`.
    ///
    /// - Parameter name: The name of the attribute in the model.
    public init<Wrapped>(keyed name: String) where Value == Wrapped? {
        self.init(name, fallback: nil, access: KeyedAccess<Wrapped>.self)
    }
}
