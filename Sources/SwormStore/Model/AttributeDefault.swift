import Foundation
package import SwormPredicates

/// The conversion of a loosely typed value to a value of an attribute's type.
package enum AttributeDefault {
    /// Returns the value in the form in which an attribute of the type holds it, or nil if the type has no such value.
    ///
    /// Numbers are converted if nothing is lost. A Boolean counts as 0 or 1 and vice versa, as for `NSNumber`.
    package static func value(_ any: Any?, as type: AttributeType) -> AttributeValue? {
        if type == .transformable { return transformed(any) }
        guard let value = AttributeValue(any: any) else { return nil }
        if value == .null { return .null }
        switch type {
        case .integer16: return integer(value, in: Int64(Int16.min)...Int64(Int16.max))
        case .integer32: return integer(value, in: Int64(Int32.min)...Int64(Int32.max))
        case .integer64: return integer(value, in: Int64.min...Int64.max)
        case .boolean:
            if case .bool = value { return value }
            guard case .int(let number) = integer(value, in: 0...1) else { return nil }
            return .bool(number == 1)
        case .double: return double(value).map { .double($0) }
        case .float: return double(value).map { .double(Double(Float($0))) }
        case .decimal: return decimal(value).map { .decimal($0) }
        case .string: if case .string = value { return value }
        case .date: if case .date = value { return value }
        case .binaryData: if case .data = value { return value }
        case .uuid: if case .uuid = value { return value }
        case .uri: if case .url = value { return value }
        case .undefined: return value
        case .objectID, .composite, .transformable: return nil
        }
        return nil
    }

    /// Returns the bytes that a column stores for a default value: its archive. Data is stored unchanged.
    private static func transformed(_ any: Any?) -> AttributeValue? {
        guard let any, !(any is NSNull) else { return .null }
        if case .data(let bytes)? = AttributeValue(any: any) { return .data(bytes) }
        var writer = KeyedArchiveWriter()
        return writer.value(any).map { .data(writer.data(root: $0)) }
    }

    private static func integer(_ value: AttributeValue, in range: ClosedRange<Int64>) -> AttributeValue? {
        let number: Int64? =
            switch value {
            case .int(let number): number
            case .bool(let flag): flag ? 1 : 0
            case .double(let number): Int64(exactly: number)
            case .decimal(let number): Int64(number.description)
            default: nil
            }
        guard let number, range.contains(number) else { return nil }
        return .int(number)
    }

    private static func double(_ value: AttributeValue) -> Double? {
        switch value {
        case .double(let number): number
        case .int(let number): Double(number)
        case .bool(let flag): flag ? 1 : 0
        case .decimal(let number): Double(number.description)
        default: nil
        }
    }

    private static func decimal(_ value: AttributeValue) -> Decimal? {
        switch value {
        case .decimal(let number): number
        case .int(let number): Decimal(number)
        case .bool(let flag): flag ? 1 : 0
        case .double(let number): number.isFinite ? Decimal(string: number.description) : nil
        default: nil
        }
    }
}
