import Foundation
import SwormPredicates

/// The text and the values of a condition, so that you can store it, or send it elsewhere to be run.
///
/// In JSON:
///
/// ```json
/// {"entity": "Book", "format": "(year > %@) AND (title == %@)", "arguments": [{"int": 1800}, {"string": "War"}]}
/// ```
/// A value is an object with one member, named by its type: `bool`, `int`, `double` (a number, or "nan", "inf",
/// "-inf"), `decimal` (text), `string`, `date` (seconds since 2001-01-01 00:00:00 UTC), `data` (base64), `uuid` (text),
/// `url` (text), `object` (the URL of an object's id) or `list` (an array of values). `null` represents nil.
///
/// Check a condition from an untrusted source with ``check(against:)`` before you run it.
extension Condition: Codable {
    private enum CodingKeys: String, CodingKey { case entity, format, arguments }

    /// Encodes the condition.
    ///
    /// - Throws: The ``StoreError`` of the condition, if the condition is invalid.
    public func encode(to encoder: any Encoder) throws {
        let template = try tree().template
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(PlainObject.entityName, forKey: .entity)
        try container.encode(template.format, forKey: .format)
        try container.encode(template.arguments.map(CodedArgument.init), forKey: .arguments)
    }

    /// Decodes a condition.
    ///
    /// - Throws: `DecodingError` if the data is about another entity, contains a value that no attribute can hold, or
    ///   contains invalid text. The text is not checked against the entity yet.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let entity = try container.decode(String.self, forKey: .entity)
        guard entity == PlainObject.entityName else {
            throw DecodingError.dataCorruptedError(
                forKey: .entity, in: container,
                debugDescription:
                    "The condition is for the entity '\(excerpt(entity))', not for '\(PlainObject.entityName)'.")
        }
        let format = try container.decode(String.self, forKey: .format)
        let arguments = try container.decodeIfPresent([CodedArgument].self, forKey: .arguments) ?? []
        content = ConditionContent(format: format, arguments: arguments.map(\.argument))
        if let failure = content.failure {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: container.codingPath + [CodingKeys.format], debugDescription: failure.message,
                    underlyingError: failure))
        }
    }
}

/// The encoded form of a value in a condition.
private struct CodedArgument: Codable {
    let argument: PredicateArgument

    init(_ argument: PredicateArgument) { self.argument = argument }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case bool, int, double, decimal, string, date, data, uuid, url, object, list
    }

    func encode(to encoder: any Encoder) throws {
        if argument == .value(.null) {
            var container = encoder.singleValueContainer()
            return try container.encodeNil()
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch argument {
        case .value(.null): break
        case .value(.bool(let value)): try container.encode(value, forKey: .bool)
        case .value(.int(let value)): try container.encode(value, forKey: .int)
        case .value(.double(let value)): try container.encode(CodedDouble(value: value), forKey: .double)
        case .value(.decimal(let value)): try container.encode(value.description, forKey: .decimal)
        case .value(.string(let value)): try container.encode(value, forKey: .string)
        case .value(.date(let value)):
            try container.encode(CodedDouble(value: value.timeIntervalSinceReferenceDate), forKey: .date)
        case .value(.data(let value)): try container.encode(value.base64EncodedString(), forKey: .data)
        case .value(.uuid(let value)): try container.encode(value, forKey: .uuid)
        case .value(.url(let value)): try container.encode(value.absoluteString, forKey: .url)
        case .value(.object(let reference)):
            guard !reference.isTemporary else { throw unencodable("an unsaved object", in: encoder) }
            try container.encode(reference.url.absoluteString, forKey: .object)
        case .list(let elements): try container.encode(elements.map(CodedArgument.init), forKey: .list)
        case .expression, .predicate: throw unencodable("an expression", in: encoder)
        }
    }

    private func unencodable(_ what: String, in encoder: any Encoder) -> EncodingError {
        EncodingError.invalidValue(
            argument,
            .init(
                codingPath: encoder.codingPath,
                debugDescription: "A condition that compares with \(what) cannot be encoded."))
    }

    init(from decoder: any Decoder) throws {
        if let single = try? decoder.singleValueContainer(), single.decodeNil() {
            argument = .value(.null)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            let names = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "A value must be an object with one member, which is named after its type: \(names)."))
        }
        func text<Value>(_ what: String, _ make: (String) -> Value?) throws -> Value {
            let text = try container.decode(String.self, forKey: key)
            if let value = make(text) { return value }
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "'\(excerpt(text))' is not a valid \(what).")
        }
        argument =
            switch key {
            case .bool: .value(.bool(try container.decode(Bool.self, forKey: key)))
            case .int: .value(.int(try container.decode(Int64.self, forKey: key)))
            case .double: .value(.double(try container.decode(CodedDouble.self, forKey: key).value))
            case .decimal:
                .value(.decimal(try text("decimal number") { Decimal(wholeText: $0) }))
            case .string: .value(.string(try container.decode(String.self, forKey: key)))
            case .date:
                .value(
                    .date(
                        Date(
                            timeIntervalSinceReferenceDate: try container.decode(CodedDouble.self, forKey: key).value)))
            case .data: .value(.data(try text("base64 string") { Data(base64Encoded: $0) }))
            case .uuid: .value(.uuid(try text("UUID") { UUID(uuidString: $0) }))
            case .url: .value(.url(try text("URL") { URL(string: $0) }))
            case .object:
                .value(.object(try text("object id") { URL(string: $0).flatMap { try? ObjectReference($0) } }))
            case .list: .list(try container.decode([CodedArgument].self, forKey: key).map(\.argument))
            }
    }
}

extension Decimal {
    /// Creates a number from a string that contains nothing else. By contrast, `init(string:)` accepts a number at the
    /// start of any string.
    fileprivate init?(wholeText text: String) {
        if text == "NaN" {
            self = .nan
            return
        }
        guard text.wholeMatch(of: /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil,
            let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), !value.isNaN
        else { return nil }
        self = value
    }
}

/// A number that JSON may be unable to represent.
private struct CodedDouble: Codable {
    let value: Double

    init(value: Double) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if value.isFinite {
            try container.encode(value)
        } else {
            try container.encode("\(value)")
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            value = number
            return
        }
        switch try container.decode(String.self) {
        case "nan": value = .nan
        case "inf": value = .infinity
        case "-inf": value = -.infinity
        default:
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "A number must be a JSON number, or one of the strings 'nan', 'inf' and '-inf'.")
        }
    }
}
