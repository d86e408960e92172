/// A type that an attribute can have: one of the thirteen primitive types, or any type that is stored as one of them.
///
/// An enum or an option set with a primitive raw value needs one line, and so does a `Codable` type
/// (see ``CodableAttribute``):
///
/// ```swift
/// enum Status: String, SupportedAttributeType { case draft, printed }
/// struct Flags: OptionSet, SupportedAttributeType { var rawValue: Int16 }
/// ```
public protocol SupportedAttributeType: Sendable {
    /// The primitive type that represents this type in a store.
    associatedtype PrimitiveAttributeType: PrimitiveAttribute

    /// Returns the primitive value to store.
    func encodePrimitiveValue() -> PrimitiveAttributeType

    /// Creates a value from its stored primitive value.
    ///
    /// - Throws: Any error, if the stored value does not represent a value of this type. You can throw
    ///   ``AttributeError/badInput(_:)``.
    static func decode(primitiveValue: PrimitiveAttributeType) throws -> Self

    /// Returns the primitive value to store, for types whose encoding can fail.
    ///
    /// The library calls only this method. By default, it returns ``encodePrimitiveValue()``.
    func encoded() throws -> PrimitiveAttributeType
}

extension SupportedAttributeType {
    /// Returns the primitive value to store: ``encodePrimitiveValue()``.
    public func encoded() throws -> PrimitiveAttributeType { encodePrimitiveValue() }
}

extension RawRepresentable where RawValue: SupportedAttributeType {
    /// Returns the raw value to store.
    public func encodePrimitiveValue() -> RawValue.PrimitiveAttributeType { rawValue.encodePrimitiveValue() }

    /// Creates a value from its stored raw value.
    ///
    /// - Throws: ``AttributeError/badInput(_:)`` if no value has that raw value.
    public static func decode(primitiveValue: RawValue.PrimitiveAttributeType) throws -> Self {
        guard let value = Self(rawValue: try RawValue.decode(primitiveValue: primitiveValue)) else {
            throw AttributeError.badInput(primitiveValue)
        }
        return value
    }
}

extension RawRepresentable
where
    Self: SupportedAttributeType, RawValue: SupportedAttributeType,
    PrimitiveAttributeType == RawValue.PrimitiveAttributeType
{
    /// Returns the raw value to store.
    public func encoded() throws -> PrimitiveAttributeType { try rawValue.encoded() }
}
