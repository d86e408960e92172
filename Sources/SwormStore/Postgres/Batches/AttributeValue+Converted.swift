#if PostgreSQL
import Foundation
import SwormPredicates

extension AttributeValue {
    /// Returns a computed value in the form in which an assignment to a column stores it: a number becomes one of the
    /// attribute's type.
    ///
    /// - Throws: An error for a value of another type.
    func converted(for attribute: CompiledAttribute) throws -> AttributeValue {
        switch (attribute.type, self) {
        case (_, .null): return .null
        case (.integer16, _), (.integer32, _), (.integer64, _):
            switch self {
            case .int: return self
            case .bool(let flag): return .int(flag ? 1 : 0)
            default: break
            }
            // A larger number would become the largest integer.
            if let number, abs(number) < 9.2e18 { return .int(Int64(number)) }
        case (.boolean, .bool): return self
        case (.boolean, _): if let number { return .bool(number != 0) }
        case (.double, _): if let number { return .double(number) }
        case (.float, _):
            guard let number else { break }
            let narrow = Float(number)
            return .double(narrow.isFinite || number.isInfinite ? Double(narrow) : number)
        case (.date, .date): return self
        case (.date, _): if let number { return .date(Date(timeIntervalSinceReferenceDate: number)) }
        case (.decimal, .bool(let flag)): return .decimal(flag ? 1 : 0)
        case (.decimal, .int(let number)): return .decimal(Decimal(number))
        case (.decimal, .double(let number)):
            if let decimal = DecimalColumn.number(from: number) { return .decimal(decimal) }
        case (.decimal, .decimal), (.string, .string), (.uuid, .uuid), (.binaryData, .data), (.transformable, .data),
            (.uri, .url):
            return self
        case (.uri, .string(let text)):
            if let url = URL(string: text, encodingInvalidCharacters: false) { return .url(url) }
        case (.string, .url(let url)): return .string(url.absoluteString)
        default: break
        }
        throw CoreDataError.unfitValue(shown, for: attribute)
    }

    /// The value as a number, in the form in which expressions compute with it.
    private var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .double(let number): number
        case .bool(let flag): flag ? 1 : 0
        case .decimal(let number): number.nearestDouble
        case .date(let date): date.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    private var shown: String {
        switch self {
        case .null: "nothing"
        case .int(let number): "the number \(number)"
        case .double(let number): "the number \(number)"
        case .string(let text): "the string '\(text.prefix(80))'"
        case .data, .uuid: "bytes"
        default: "\(self)"
        }
    }
}

extension ServerColumns.Derived {
    /// Returns the value that a row has if the attribute from which it is computed has the given one.
    func value(of source: AttributeValue, in entity: CompiledEntity) throws -> ServerValue {
        if case .string(let text) = source, derived.derivation.form != .plain {
            return .text(derived.formed(text))
        }
        return try ServerValue(source.converted(for: place.attribute), for: place, of: entity)
    }
}
#endif
