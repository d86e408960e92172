#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

// Values in the form of key-value coding.

extension PrimitiveKind {
    /// Returns whether an attribute of a type can be read and written as values of the kind.
    func accepts(_ type: AttributeType) -> Bool { compatibleTypes.contains(type) }

    /// Converts a value of key-value coding into the form that tables use.
    func value(ofKeyed any: Any?) -> AttributeValue {
        guard let any, !(any is NSNull) else { return .null }
        return switch self {
        case .bool: .bool((any as? NSNumber)?.boolValue ?? false)
        case .int, .int16, .int32, .int64: .int((any as? NSNumber)?.int64Value ?? 0)
        case .float, .double: .double((any as? NSNumber)?.doubleValue ?? 0)
        default: AttributeValue(any: any) ?? .null
        }
    }
}

extension AttributeValue {
    /// The value in the form that key-value coding accepts.
    var keyedValue: Any? {
        switch self {
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        default: foundationValue
        }
    }

    /// Whether the value is NaN, which no store can hold.
    var isNoNumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }

    /// Returns whether two values are identical to the last bit. Equal strings can differ in bytes, and zeros in sign.
    func isIdentical(to other: AttributeValue) -> Bool {
        switch (self, other) {
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
        default: self == other
        }
    }
}
#endif
