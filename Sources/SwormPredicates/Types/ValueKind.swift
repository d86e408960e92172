/// The kinds of values that a condition distinguishes.
package enum ValueKind: Sendable, Hashable {
    case integer, boolean, real
    /// A decimal. Whole decimals are stored as integers, but arithmetic treats all decimals as reals.
    case decimal
    /// A number that can be an integer or a real.
    case number
    case text, uri, date, uuid, data

    package var isNumber: Bool {
        switch self {
        case .integer, .boolean, .real, .decimal, .number: true
        default: false
        }
    }

    package var isText: Bool { self == .text || self == .uri }

    /// Returns whether values of two kinds can be compared.
    func isComparable(with other: ValueKind) -> Bool {
        self == other || (isNumber && other.isNumber) || (isText && other.isText)
    }

    /// Whether the values have an order.
    package var isOrdered: Bool { isNumber || isText || self == .date }

    package var name: String {
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
    /// The kind of the type's values, or nil if a store cannot compare them.
    package var valueKind: ValueKind? {
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

    package var kindName: String {
        switch self {
        case .transformable: "a transformable value"
        case .composite: "a composite value"
        case .objectID: "an object identifier"
        case .undefined: "a value of undefined type"
        default: valueKind?.name ?? "a value"
        }
    }
}

extension AttributeValue {
    /// The kind of a constant, or nil for null and for objects.
    package var valueKind: ValueKind? {
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

    package var kindName: String {
        switch self {
        case .null: "nil"
        case .object: "an object"
        default: valueKind?.name ?? "a value"
        }
    }
}
