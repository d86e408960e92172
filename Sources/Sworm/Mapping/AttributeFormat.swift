import Foundation
import SwormPredicates

/// A format in which an attribute stores a `Codable` value as a whole.
public struct AttributeFormat: Sendable {
    /// JSON with sorted keys in binary data, so that equal values result in equal bytes, and an unchanged value is not
    /// written to the store.
    ///
    /// Dates are numbers of seconds since 2001, as `JSONEncoder` writes them by default.
    public static let json = AttributeFormat()

    /// Returns the bytes of a value.
    func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Returns a value from the bytes of a store.
    ///
    /// - Throws: ``AttributeError/badInput(_:)`` if nothing is stored, and `DecodingError` if the bytes do not represent such
    ///   a value.
    func decode<V: Decodable>(_ type: V.Type, from value: AttributeValue) throws -> V {
        guard case .data(let data) = value else { throw AttributeError.badInput(nil) }
        return try JSONDecoder().decode(V.self, from: data)
    }
}
