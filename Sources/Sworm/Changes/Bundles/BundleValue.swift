import Foundation
import SwormPredicates

/// The value of an attribute in JSON. Numbers are strings, because readers of JSON round them.
struct BundleValue: Sendable, Hashable, Codable {
    let value: AttributeValue

    init(_ value: AttributeValue) { self.value = value }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case integer, double, decimal, string, date, data, uuid, url
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .null:
            var single = encoder.singleValueContainer()
            try single.encodeNil()
            return
        case .bool(let flag):
            var single = encoder.singleValueContainer()
            try single.encode(flag)
            return
        default: break
        }
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch value {
        case .int(let number): try values.encode(String(number), forKey: .integer)
        case .double(let number): try values.encode(number.description, forKey: .double)
        case .decimal(let number): try values.encode(Self.text(of: number), forKey: .decimal)
        case .string(let text): try values.encode(text, forKey: .string)
        case .date(let date): try values.encode(date.timeIntervalSinceReferenceDate.description, forKey: .date)
        case .data(let data): try values.encode(data.base64EncodedString(), forKey: .data)
        case .uuid(let id): try values.encode(id.uuidString, forKey: .uuid)
        case .url(let url): try values.encode(url.absoluteString, forKey: .url)
        case .null, .bool: break
        case .object:
            throw EncodingError.invalidValue(
                value, .init(codingPath: encoder.codingPath, debugDescription: "An attribute cannot hold an object."))
        }
    }

    init(from decoder: any Decoder) throws {
        if let single = try? decoder.singleValueContainer() {
            if single.decodeNil() {
                value = .null
                return
            }
            if let flag = try? single.decode(Bool.self) {
                value = .bool(flag)
                return
            }
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard values.allKeys.count == 1, let kind = values.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "A value is null, a Boolean, or an object with one of the keys "
                        + CodingKeys.allCases.map(\.rawValue).joined(separator: ", ") + "."))
        }
        let text = try values.decode(String.self, forKey: kind)
        guard let value = Self.value(of: text, kind: kind) else {
            throw DecodingError.dataCorruptedError(
                forKey: kind, in: values, debugDescription: "'\(text.prefix(80))' is not a value of this type.")
        }
        self.value = value
    }

    private static func value(of text: String, kind: CodingKeys) -> AttributeValue? {
        switch kind {
        case .integer: Int64(text).map { .int($0) }
        case .double: Double(text).map { .double($0) }
        case .decimal: decimal(text).map { .decimal($0) }
        case .string: .string(text)
        case .date:
            Double(text).flatMap { $0.isFinite ? .date(Date(timeIntervalSinceReferenceDate: $0)) : nil }
        case .data: Data(base64Encoded: text).map { .data($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .url: URL(string: text).map { .url($0) }
        }
    }

    /// Returns the digits of a number, with an exponent if they would be too many.
    private static func text(of number: Decimal) -> String {
        if number.isNaN { return "NaN" }
        let plain = number.description
        if plain.utf8.count <= 60, decimal(plain) == number { return plain }
        return "\(number.significand)e\(number.exponent)"
    }

    private static func decimal(_ text: String) -> Decimal? {
        if text == "NaN" { return .nan }
        guard text.utf8.count <= 60, text.utf8.allSatisfy({ "0123456789.-+eE".utf8.contains($0) }) else { return nil }
        let parts = text.split(separator: "e", omittingEmptySubsequences: false)
        guard parts.count == 2, let exponent = Int(parts[1]), abs(exponent) <= 128 else {
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        }
        guard let digits = Decimal(string: String(parts[0]), locale: Locale(identifier: "en_US_POSIX")) else {
            return nil
        }
        return Decimal(sign: digits.sign, exponent: exponent, significand: digits.magnitude)
    }
}
