import Foundation
import SwormPredicates

extension StoredValue {
    /// Returns the value of an attribute of the given type, or nil if the column's content is not such a value.
    func value(as type: AttributeType) -> AttributeValue? {
        switch (type, self) {
        case (_, .null): .null
        case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
            (.integer64, .integer(let number)):
            .int(number)
        case (.boolean, .integer(let number)): .bool(number != 0)
        case (.double, .real(let number)), (.float, .real(let number)): .double(number)
        case (.double, .integer(let number)), (.float, .integer(let number)): .double(Double(number))
        case (.date, .real(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.date, .integer(let seconds)): .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case (.string, .text(let text)): .string(text)
        case (.binaryData, .blob(let data)), (.transformable, .blob(let data)): .data(data)
        case (.decimal, _), (.uri, _), (.uuid, _): object(as: type).flatMap { AttributeValue(any: $0) }
        default: nil
        }
    }
}

extension StoredValue {
    /// Creates a value for comparisons.
    init(_ value: ExactValue) {
        self =
            switch value {
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
            case .blob(let bytes): .blob(bytes)
            }
    }
}
