import Foundation

/// The type of a stored property, which determines how a column is converted to its value.
///
/// It is derived from the property's static type, never from a schema: the memory is written as exactly that type.
package enum FieldKind: UInt8, Sendable, Hashable {
    case bool, int, int16, int32, int64, float, double, decimal, date, string, data, uuid, url
    case optionalBool, optionalInt, optionalInt16, optionalInt32, optionalInt64, optionalFloat, optionalDouble
    case optionalDecimal, optionalDate, optionalString, optionalData, optionalUUID, optionalURL
    /// Any other type. A closure of the plan sets the property.
    case custom

    /// Creates the kind of a type, which is custom for a type that is not in the list.
    package init<Value>(_ type: Value.Type) { self = Self.kinds[ObjectIdentifier(type)] ?? .custom }

    var isOptional: Bool { rawValue >= Self.optionalBool.rawValue && self != .custom }

    private static let kinds: [ObjectIdentifier: FieldKind] = Dictionary(
        uniqueKeysWithValues: layouts.map { (ObjectIdentifier($0.type), $0.kind) })

    static let layouts: [(kind: FieldKind, type: Any.Type, size: Int)] = [
        layout(.bool, of: Bool.self), layout(.int, of: Int.self), layout(.int16, of: Int16.self),
        layout(.int32, of: Int32.self),
        layout(.int64, of: Int64.self), layout(.float, of: Float.self), layout(.double, of: Double.self),
        layout(.decimal, of: Decimal.self), layout(.date, of: Date.self), layout(.string, of: String.self),
        layout(.data, of: Data.self), layout(.uuid, of: UUID.self), layout(.url, of: URL.self),
        layout(.optionalBool, of: Bool?.self), layout(.optionalInt, of: Int?.self),
        layout(.optionalInt16, of: Int16?.self),
        layout(.optionalInt32, of: Int32?.self), layout(.optionalInt64, of: Int64?.self),
        layout(.optionalFloat, of: Float?.self), layout(.optionalDouble, of: Double?.self),
        layout(.optionalDecimal, of: Decimal?.self), layout(.optionalDate, of: Date?.self),
        layout(.optionalString, of: String?.self), layout(.optionalData, of: Data?.self),
        layout(.optionalUUID, of: UUID?.self),
        layout(.optionalURL, of: URL?.self),
    ]

    private static func layout<Value>(
        _ kind: FieldKind, of type: Value.Type
    ) -> (kind: FieldKind, type: Any.Type, size: Int) {
        (kind, type, MemoryLayout<Value>.size)
    }

    /// The size of a property of the kind in bytes; 0 for custom.
    var size: Int { Self.layouts.first { $0.kind == self }?.size ?? 0 }

    package var expectation: String {
        let name =
            switch self {
            case .bool, .optionalBool, .int, .int64, .optionalInt, .optionalInt64: "integer"
            case .int16, .optionalInt16: "integer of 16 bits"
            case .int32, .optionalInt32: "integer of 32 bits"
            case .float, .double, .date, .optionalFloat, .optionalDouble, .optionalDate: "number"
            case .decimal, .optionalDecimal: "decimal number"
            case .string, .optionalString: "text"
            case .data, .optionalData: "blob"
            case .uuid, .optionalUUID: "blob of 16 bytes"
            case .url, .optionalURL: "text with a URL"
            case .custom: "value of the property's type"
            }
        return isOptional ? name + " or NULL" : name
    }
}
