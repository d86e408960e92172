public import Foundation

/// A `Codable` type that an attribute stores as JSON in binary data.
///
/// ```swift
/// struct Address: CodableAttribute { var city = "" }
/// ```
/// If the model file declares a composite attribute with that name, the value is split into its elements instead: the
/// type's properties have the names of the elements, and may be nil. A line of the table can also name a single
/// element: `.init(\.street, "address.street")`.
///
/// The JSON has sorted keys, so that equal values result in equal bytes, and an unchanged value is not written to the
/// store.
public protocol CodableAttribute: SupportedAttributeType, Codable where PrimitiveAttributeType == Data {}

extension CodableAttribute {
    /// Returns the value as JSON, or empty data if it has no JSON form (a NaN, for example).
    ///
    /// Prefer ``encoded()``, which throws an error instead.
    public func encodePrimitiveValue() -> Data { (try? encoded()) ?? Data() }

    /// Returns the value as JSON.
    ///
    /// - Throws: `EncodingError` if the value has no JSON form.
    public func encoded() throws -> Data { try AttributeFormat.json.encode(self) }

    /// Creates a value from its JSON.
    ///
    /// - Throws: `DecodingError` if the bytes are not the JSON of such a value.
    public static func decode(primitiveValue: Data) throws -> Self {
        try JSONDecoder().decode(Self.self, from: primitiveValue)
    }
}
