import Foundation
package import SwormPredicates

/// The kinds of values that a query tells apart.
enum QueryKind {
    case integer, boolean, real
    /// A decimal. Whole ones are kept as integers, but all of them compute as reals.
    case decimal
    /// A number that is an integer or a real, as it comes.
    case number
    case text, uri, date, uuid, data

    var isNumber: Bool {
        switch self {
        case .integer, .boolean, .real, .decimal, .number: true
        default: false
        }
    }

    var isText: Bool { self == .text || self == .uri }

    /// Whether values of two kinds can be compared.
    func isComparable(with other: QueryKind) -> Bool {
        self == other || (isNumber && other.isNumber) || (isText && other.isText)
    }

    /// Whether the values have an order.
    var isOrdered: Bool { isNumber || isText || self == .date }

    var name: String {
        switch self {
        case .integer: "an integer"
        case .boolean: "a Boolean"
        case .real, .number: "a number"
        case .decimal: "a decimal number"
        case .text: "a string"
        case .uri: "a URI"
        case .date: "a date"
        case .uuid: "a UUID"
        case .data: "binary data"
        }
    }
}

extension AttributeType {
    /// The kind of the type's values; nil where SQL cannot compare them.
    var queryKind: QueryKind? {
        switch self {
        case .integer16, .integer32, .integer64: .integer
        case .boolean: .boolean
        case .double, .float: .real
        case .decimal: .decimal
        case .string: .text
        case .uri: .uri
        case .date: .date
        case .uuid: .uuid
        case .binaryData: .data
        case .undefined, .transformable, .objectID, .composite: nil
        }
    }

    var queryName: String {
        switch self {
        case .transformable: "a transformable value"
        case .composite: "a composite value"
        case .objectID: "an object identifier"
        case .undefined: "a value of undefined type"
        default: queryKind?.name ?? "a value"
        }
    }
}

extension AttributeValue {
    /// The kind of a constant; nil for null and for objects.
    var queryKind: QueryKind? {
        switch self {
        case .null, .object: nil
        case .bool: .boolean
        case .int: .integer
        case .double: .real
        case .decimal: .decimal
        case .string: .text
        case .date: .date
        case .data: .data
        case .uuid: .uuid
        case .url: .uri
        }
    }

    var queryName: String {
        switch self {
        case .null: "nil"
        case .object: "an object"
        default: queryKind?.name ?? "a value"
        }
    }
}

extension SQLBinding {
    /// A value in the form in which a store keeps it; nil for an object.
    package init?(_ value: AttributeValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .int64(value ? 1 : 0)
        case .int(let value): self = .int64(value)
        case .double(let value): self = value.isNaN ? .null : .double(value)
        case .decimal(let value): self.init(value)
        case .string(let value): self = .text(value)
        case .date(let value):
            let seconds = value.timeIntervalSinceReferenceDate
            self = seconds.isNaN ? .null : .double(seconds)
        case .data(let value): self = .blob(value)
        case .uuid(let value): self = .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .url(let value): self = .text(value.absoluteString)
        case .object: return nil
        }
    }

    /// A decimal as SQLite's columns of numbers keep it: an integer where it is one, else the nearest double.
    private init(_ value: Decimal) {
        guard !value.isNaN else {
            self = .null
            return
        }
        self = value.wholeNumber.map { .int64($0) } ?? .double(value.nearestDouble)
    }
}

/// JSON arrays, by which one parameter carries many values.
enum JSONText {
    static func array(of keys: [Int64]) -> String {
        "[" + keys.map { String($0) }.joined(separator: ",") + "]"
    }

    static func array(of strings: [String]) -> String {
        var result = "["
        for (index, string) in strings.enumerated() {
            if index > 0 { result += "," }
            result += "\""
            for scalar in string.unicodeScalars {
                switch scalar {
                case "\"": result += "\\\""
                case "\\": result += "\\\\"
                default:
                    if scalar.value < 0x20 {
                        let hex = String(scalar.value, radix: 16)
                        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                    } else {
                        result.unicodeScalars.append(scalar)
                    }
                }
            }
            result += "\""
        }
        return result + "]"
    }
}

/// Foundation has a type named `Comparator` too.
typealias QueryComparator = SwormPredicates.Comparator
