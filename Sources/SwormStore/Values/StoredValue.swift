package import Foundation
package import SwormPredicates

/// A value in the form in which a column stores it.
package enum StoredValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
    case uuid(UUID)
}

extension StoredValue {
    /// Creates the stored form of an attribute's value.
    ///
    /// This initializer does not handle the content of an attribute that allows external storage: see
    /// ``ExternalDataFolder``.
    ///
    /// - Throws: ``CoreDataError`` for a value that the column could not return unchanged.
    init(_ value: AttributeValue, for attribute: CompiledAttribute, of entity: CompiledEntity) throws {
        if case .null = value {
            self = .null
            return
        }
        guard let stored = try Self.make(value, for: attribute, of: entity) else {
            throw Self.refusal(
                "holds \(value.typeName), and the attribute's type is \(attribute.type.displayName)", value: value,
                for: attribute,
                of: entity)
        }
        self = stored
    }

    private static func make(
        _ value: AttributeValue, for attribute: CompiledAttribute, of entity: CompiledEntity
    ) throws -> StoredValue? {
        switch (attribute.type, value) {
        case (.integer16, .int(let number)):
            return try integer(
                number, in: Int64(Int16.min)...Int64(Int16.max), value: value, for: attribute, of: entity)
        case (.integer32, .int(let number)):
            return try integer(
                number, in: Int64(Int32.min)...Int64(Int32.max), value: value, for: attribute, of: entity)
        case (.integer64, .int(let number)): return .integer(number)
        case (.integer16, .bool(let flag)), (.integer32, .bool(let flag)), (.integer64, .bool(let flag)),
            (.boolean, .bool(let flag)):
            return .integer(flag ? 1 : 0)
        case (.boolean, .int(let number)):
            return try integer(number, in: 0...1, value: value, for: attribute, of: entity)
        case (.double, .double(let number)): return .real(try checked(number, value: value, for: attribute, of: entity))
        case (.float, .double(let number)):
            let narrow = Float(try checked(number, value: value, for: attribute, of: entity))
            guard narrow.isFinite || number.isInfinite else {
                throw refusal("is too large for a Float", value: value, for: attribute, of: entity)
            }
            return .real(Double(narrow))
        case (.double, .int(let number)), (.float, .int(let number)):
            guard let exact = Double(exactly: number), attribute.type == .double || Double(Float(exact)) == exact else {
                throw refusal(
                    "has more digits than a \(attribute.type.displayName) can hold", value: value, for: attribute,
                    of: entity)
            }
            return .real(exact)
        case (.decimal, .int(let number)): return .integer(number)
        case (.decimal, .double(let number)):
            guard number.isFinite else { throw refusal("is not finite", value: value, for: attribute, of: entity) }
            return .real(number)
        case (.decimal, .decimal(let number)):
            guard let stored = DecimalColumn.store(number) else {
                throw refusal("is not a number", value: value, for: attribute, of: entity)
            }
            return stored
        case (.date, .date(let date)):
            return .real(try checked(date.timeIntervalSinceReferenceDate, value: value, for: attribute, of: entity))
        case (.string, .string(let text)): return .text(text)
        case (.uri, .url(let url)):
            let text = url.absoluteString
            guard URL(string: text, encodingInvalidCharacters: false) != nil else {
                throw refusal(
                    "has an absolute string that is not a valid URL", value: value, for: attribute, of: entity)
            }
            return .text(text)
        case (.uuid, .uuid(let uuid)): return .uuid(uuid)
        case (.binaryData, .data(let data)), (.transformable, .data(let data)): return .blob(data)
        default: return nil
        }
    }

    private static func integer(
        _ number: Int64, in range: ClosedRange<Int64>, value: AttributeValue, for attribute: CompiledAttribute,
        of entity: CompiledEntity
    ) throws -> StoredValue {
        guard range.contains(number) else {
            throw refusal(
                "is \(number); \(attribute.type.displayName) holds \(range.lowerBound) to \(range.upperBound)",
                value: value,
                for: attribute, of: entity,
                code: number > range.upperBound ? NSValidationNumberTooLargeError : NSValidationNumberTooSmallError)
        }
        return .integer(number)
    }

    /// Returns the number, or throws an error for NaN, which SQLite stores as NULL, so that it would be read as a
    /// missing value.
    private static func checked(
        _ number: Double, value: AttributeValue, for attribute: CompiledAttribute, of entity: CompiledEntity
    ) throws -> Double {
        guard !number.isNaN else {
            throw refusal("is not a number (NaN), which a store cannot hold", value: value, for: attribute, of: entity)
        }
        return number
    }

    private static func refusal(
        _ what: String, value: AttributeValue, for attribute: CompiledAttribute, of entity: CompiledEntity,
        code: Int = NSManagedObjectValidationError
    ) -> CoreDataError {
        var shown: AttributeValue? = value
        // Foundation traps when it describes such a date, and the code that catches the error may print it.
        if case .date(let date) = value, !(abs(date.timeIntervalSinceReferenceDate) < 1e13) { shown = nil }
        return CoreDataError(
            code, "The value of '\(entity.name).\(attribute.name)' \(what). Nothing was saved.", entity: entity.name,
            key: attribute.name, value: shown)
    }
}

extension AttributeType {
    /// The name of the type, for messages.
    package var displayName: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binaryData: "Binary Data"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "Object ID"
        case .composite: "Composite"
        }
    }
}

extension AttributeValue {
    /// The kind of the value, for messages.
    fileprivate var typeName: String {
        switch self {
        case .null: "no value"
        case .bool: "a Boolean"
        case .int: "an integer"
        case .double: "a floating-point number"
        case .decimal: "a decimal number"
        case .string: "a string"
        case .date: "a date"
        case .data: "binary data"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .object: "an object"
        }
    }
}
