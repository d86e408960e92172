public import Foundation

/// A `Codable` type that an attribute holds as JSON in binary data.
///
/// ```swift
/// struct Address: CodableAttribute { var city = "" }
/// ```
/// Where a model file has a composite attribute of the name, the value is taken apart into its elements instead: the type's
/// properties are named as they are, and may be nil. A line of the table can also name one element alone:
/// `.init(\.street, "address.street")`.
///
/// The JSON has sorted keys, so that equal values are equal bytes, and an unchanged value is no change to the store.
public protocol CodableAttribute: SupportedAttributeType, Codable where PrimitiveAttributeType == Data {}

extension CodableAttribute {
    /// The value as JSON, or no bytes at all when it has no JSON form (a NaN, for example).
    ///
    /// Prefer ``encoded()``, which throws instead.
    public func encodePrimitiveValue() -> Data { (try? encoded()) ?? Data() }

    /// The value as JSON.
    ///
    /// - Throws: `EncodingError` when the value has no JSON form.
    public func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Makes a value from its JSON.
    ///
    /// - Throws: `DecodingError` when the bytes are not the JSON of such a value.
    public static func decode(primitiveValue: Data) throws -> Self {
        try JSONDecoder().decode(Self.self, from: primitiveValue)
    }
}
