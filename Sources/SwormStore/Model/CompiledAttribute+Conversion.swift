import Foundation
package import SwormPredicates

extension CompiledAttribute {
    /// Returns the value in the form in which the attribute holds it, or throws an error that describes the mismatch.
    package func accept(_ value: AttributeValue, entity: String) throws -> AttributeValue {
        switch (type, value) {
        case (_, .null), (.string, .string), (.boolean, .bool), (.date, .date), (.binaryData, .data), (.uuid, .uuid),
            (.uri, .url), (.transformable, .data), (.decimal, .decimal), (.undefined, _), (.objectID, .object):
            return value
        case (.integer64, .int): return value
        case (.integer16, .int(let number)):
            guard Int16(exactly: number) != nil else { throw outOfRange(value, entity: entity) }
            return value
        case (.integer32, .int(let number)):
            guard Int32(exactly: number) != nil else { throw outOfRange(value, entity: entity) }
            return value
        case (.integer16, .bool(let flag)), (.integer32, .bool(let flag)), (.integer64, .bool(let flag)):
            return .int(flag ? 1 : 0)
        case (.integer16, .double(let number)), (.integer32, .double(let number)), (.integer64, .double(let number)):
            guard let exact = Int64(exactly: number) else { throw wrongType(value, entity: entity) }
            return try accept(.int(exact), entity: entity)
        case (.boolean, .int(let number)) where number == 0 || number == 1:
            return .bool(number == 1)
        case (.double, .double): return value
        case (.double, .int(let number)): return .double(Double(number))
        case (.double, .decimal(let number)): return .double(Double("\(number)") ?? .nan)
        case (.float, .double(let number)):
            let rounded = Double(Float(number))
            guard rounded.isFinite || !number.isFinite else { throw outOfRange(value, entity: entity) }
            return .double(rounded)
        case (.float, .int(let number)): return .double(Double(Float(number)))
        case (.decimal, .int(let number)): return .decimal(Decimal(number))
        case (.decimal, .double(let number)) where number.isFinite:
            // The exponent of a decimal has a range of its own.
            guard let decimal = Decimal(string: "\(number)") else { throw outOfRange(value, entity: entity) }
            return .decimal(decimal)
        default: throw wrongType(value, entity: entity)
        }
    }

    private func wrongType(_ value: AttributeValue, entity: String) -> CoreDataError {
        CoreDataError(
            NSManagedObjectValidationError,
            "Cannot set '\(name)' of \(entity) to \(value.summary): the attribute holds \(type.summary). Convert the value first.",
            entity: entity, key: name, value: value)
    }

    private func outOfRange(_ value: AttributeValue, entity: String) -> CoreDataError {
        CoreDataError(
            NSValidationNumberTooLargeError,
            "Cannot set '\(name)' of \(entity) to \(value.summary): the value is out of the range of \(type.summary).",
            entity: entity, key: name, value: value)
    }
}
