import Foundation
public import SwormPredicates

/// A type that a store can hold without conversion.
///
/// There are thirteen: `Bool`, `Int`, `Int16`, `Int32`, `Int64`, `Float`, `Double`, `Decimal`, `Date`, `String`,
/// `Data`, `UUID` and `URL`. Do not conform other types; map them onto one of these with ``SupportedAttributeType``.
public protocol PrimitiveAttribute: Sendable {
    /// The kind of the type, one of thirteen.
    static var primitiveKind: PrimitiveKind { get }

    /// The value in the form in which a store holds it.
    var attributeValue: AttributeValue { get }

    /// Creates a value from a stored value.
    ///
    /// - Throws: ``AttributeError/badInput(_:)`` if the stored value has another type, or does not fit without loss.
    init(attributeValue: AttributeValue) throws
}

/// The thirteen types that a store can hold without conversion.
public enum PrimitiveKind: UInt8, Sendable, Hashable, CaseIterable {
    case bool, int, int16, int32, int64, float, double, decimal, date, string, data, uuid, url
}

extension PrimitiveKind {
    /// The type of an attribute in a model that is created from a table, unless the table specifies another one.
    var attributeType: AttributeType {
        switch self {
        case .bool: .boolean
        case .int, .int64: .integer64
        case .int16: .integer16
        case .int32: .integer32
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .date: .date
        case .string: .string
        case .data: .binaryData
        case .uuid: .uuid
        case .url: .uri
        }
    }

    /// The types that an attribute of this kind may have in a model: its own type, and those of other widths.
    var compatibleTypes: Set<AttributeType> {
        switch self {
        case .int, .int16, .int32, .int64: [.integer16, .integer32, .integer64]
        case .float, .double: [.float, .double]
        default: [attributeType]
        }
    }
}

extension PrimitiveKind {
    /// The type of a property of this kind in memory.
    var type: any PrimitiveAttribute.Type {
        switch self {
        case .bool: Bool.self
        case .int: Int.self
        case .int16: Int16.self
        case .int32: Int32.self
        case .int64: Int64.self
        case .float: Float.self
        case .double: Double.self
        case .decimal: Decimal.self
        case .date: Date.self
        case .string: String.self
        case .data: Data.self
        case .uuid: UUID.self
        case .url: URL.self
        }
    }
}

extension PrimitiveAttribute {
    /// Whether the type is the one that its kind names, so that its memory may be read and written as that type's.
    ///
    /// The protocol is public, so a type can report a wrong kind. This check prevents an invalid write to memory.
    static var isNative: Bool { primitiveKind.type == Self.self }
}

extension PrimitiveAttribute {
    /// Returns the value itself.
    public func encodePrimitiveValue() -> Self { self }

    /// Returns the value itself.
    public static func decode(primitiveValue: Self) throws -> Self { primitiveValue }
}
