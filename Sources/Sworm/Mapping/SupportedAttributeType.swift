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
    /// The primitive type that stands for this one in a store.
    associatedtype PrimitiveAttributeType: PrimitiveAttribute

    /// The value as it is stored.
    func encodePrimitiveValue() -> PrimitiveAttributeType

    /// Makes a value from what is stored.
    ///
    /// - Throws: Any error, when the stored value stands for none; ``AttributeError/badInput(_:)`` is at hand for it.
    static func decode(primitiveValue: PrimitiveAttributeType) throws -> Self

    /// The value as it is stored, for types whose encoding can fail.
    ///
    /// The library calls only this form. By default it returns ``encodePrimitiveValue()``.
    func encoded() throws -> PrimitiveAttributeType
}

extension SupportedAttributeType {
    /// The value as it is stored: ``encodePrimitiveValue()``.
    public func encoded() throws -> PrimitiveAttributeType { encodePrimitiveValue() }
}

extension RawRepresentable where RawValue: SupportedAttributeType {
    /// The raw value as it is stored.
    public func encodePrimitiveValue() -> RawValue.PrimitiveAttributeType { rawValue.encodePrimitiveValue() }

    /// Makes a value from its stored raw value.
    ///
    /// - Throws: ``AttributeError/badInput(_:)`` when there is no value with that raw value.
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
    /// The raw value as it is stored.
    public func encoded() throws -> PrimitiveAttributeType { try rawValue.encoded() }
}
