package import Foundation

extension AttributeValue: CustomStringConvertible {
    /// A readable description of the value.
    public var description: String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .date(let value): value.safeDescription
        case .data(let value): "\(value.count) bytes"
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString
        case .object(let value):
            value.isTemporary
                ? "x-coredata:///\(value.entityName)/t\(value.key.magnitude)"
                : "x-coredata://\(value.storeIdentifier ?? "")/\(value.entityName)/p\(value.key)"
        }
    }

    /// A description of the value for messages: its kind, and the value, which is truncated if it is long.
    package var summary: String {
        let text = description
        let short = text.count > 80 ? "\(text.prefix(77))..." : text
        return switch self {
        case .null: "nil"
        case .bool: "the Boolean \(short)"
        case .int, .double, .decimal: "the number \(short)"
        case .string(let value): "the string '\(value.count > 80 ? "\(value.prefix(77))..." : value)'"
        case .date: "the date \(short)"
        case .data: "data of \(short)"
        case .uuid: "the UUID \(short)"
        case .url: "the URL \(short)"
        case .object: "the object \(short)"
        }
    }
}

extension AttributeType {
    /// The type's name, for messages.
    package var summary: String {
        switch self {
        case .undefined: "any value"
        case .integer16: "an Integer 16"
        case .integer32: "an Integer 32"
        case .integer64: "an Integer 64"
        case .decimal: "a Decimal"
        case .double: "a Double"
        case .float: "a Float"
        case .string: "a String"
        case .boolean: "a Boolean"
        case .date: "a Date"
        case .binaryData: "Binary Data"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .transformable: "a Transformable (as data)"
        case .objectID: "an object id"
        case .composite: "a composite"
        }
    }
}

extension Date {
    /// A description of the date. Foundation traps for dates beyond any calendar, so those are shown as numbers.
    package var safeDescription: String {
        let seconds = timeIntervalSinceReferenceDate
        return abs(seconds) < 1e13 ? description : "\(seconds) seconds after 2001-01-01"
    }
}
