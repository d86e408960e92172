import Foundation
import SwormPredicates
import SwormStore

/// Values that a made-up object may have for an attribute, the best first. The rules of the attribute may forbid some of
/// them.
struct SampleCandidates {
    private let attribute: CompiledAttribute
    private let entity: CompiledEntity
    private let number: Int
    /// The name without that of the composite attribute.
    private let name: String
    private var bounds: (low: AttributeValue?, high: AttributeValue?) = (nil, nil)
    private var lengths: (low: Int?, high: Int?) = (nil, nil)
    private var patterns: [String] = []
    /// The constants of predicates, which often satisfy them.
    private var constants: [AttributeValue] = []

    init(_ attribute: CompiledAttribute, of entity: CompiledEntity, number: Int) {
        (self.attribute, self.entity, self.number) = (attribute, entity, number)
        name = attribute.name.split(separator: ".").last.map(String.init) ?? attribute.name
        for rule in attribute.validationRules {
            switch rule {
            case .minimum(let value): bounds.low = value
            case .maximum(let value): bounds.high = value
            case .minimumLength(let count): lengths.low = count
            case .maximumLength(let count): lengths.high = count
            case .pattern(let pattern): patterns.append(pattern)
            case .predicate(let tree, _): constants += tree.constants
            }
        }
    }

    var all: [AttributeValue] {
        switch attribute.type {
        case .integer16, .integer32, .integer64: numbers.compactMap(Self.whole).map { .int($0) }
        case .double, .float: numbers.map { .double($0) }
        case .decimal: numbers.compactMap { Decimal(string: "\($0)") }.map { .decimal($0) }
        case .boolean: [.bool(number % 2 == 1), .bool(number % 2 == 0)]
        case .date: dates.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .string: strings.map { .string($0) }
        case .binaryData: [.data(Data("\(name) \(number)".utf8))] + constants
        case .uuid: [.uuid(uuid)] + constants
        case .uri: urls.map { .url($0) } + constants
        case .transformable: AttributeDefault.value("\(name) \(number)", as: .transformable).map { [$0] } ?? []
        case .undefined, .objectID, .composite: []
        }
    }

    // MARK: Numbers

    private static func number(_ value: AttributeValue?) -> Double? {
        switch value {
        case .int(let number)?: Double(number)
        case .double(let number)?: number
        case .decimal(let number)?: Double(number.description)
        case .date(let date)?: date.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    private static func whole(_ number: Double) -> Int64? { Int64(exactly: number.rounded(.down)) }

    /// The numbers for a type of numbers. Those of types with fractions have one.
    private var numbers: [Double] {
        let isWhole = [.integer16, .integer32, .integer64].contains(attribute.type)
        return spread(start: isWhole ? Double(number) : Double(number) + 0.5, step: 1)
            + [0, 1, -1, 0.5, 7, 10, 100, 1000]
    }

    private var dates: [Double] {
        spread(start: 700_000_000 + 86_400 * Double(number), step: 3600) + [0]
    }

    /// Returns a number, and numbers between and near the limits.
    private func spread(start: Double, step: Double) -> [Double] {
        let (low, high) = (Self.number(bounds.low), Self.number(bounds.high))
        let distance = step * Double(number - 1)
        var result = [start]
        if let low { result.append(low + distance) }
        if let high { result.append(high - distance) }
        if let low, let high { result.append((low + high) / 2) }
        result += [low, high].compactMap { $0 }
        for constant in constants.compactMap({ Self.number($0) }) {
            result += [constant + distance, constant, constant + step, constant - step]
        }
        return result
    }

    // MARK: Strings

    private var strings: [String] {
        let plain = "\(name) \(number)"
        var result: [String] = []
        for pattern in patterns {
            guard let sample = PatternSample(pattern) else { continue }
            result += (0...8).compactMap { sample.text(number, extra: $0) }
            if let low = lengths.low { result += [low, low / 2].compactMap { sample.text(number, extra: $0) } }
        }
        result += [plain, "\(name)\(number)", letters, letters.uppercased(), "\(number)"]
        let known = constants.compactMap { if case .string(let text) = $0 { text } else { nil } }
        result += known.flatMap { [$0 + plain, plain + $0, $0 + "\(number)", "\(number)" + $0, $0] }
        result += [
            "user\(number)@example.com", "https://example.com/\(number)", "2024-01-\(10 + number % 18)",
            "+49301234\(number)", uuid.uuidString, uuid.uuidString.lowercased(),
        ]
        return result + result.compactMap(fitted)
    }

    /// Returns a string that has the right length; nil if it has it already.
    private func fitted(_ text: String) -> String? {
        let count = text.utf16.count
        if let low = lengths.low, count < low, !text.isEmpty {
            guard low <= 1 << 20 else { return nil }
            return String(repeating: text, count: low / count) + text.prefix(low % count)
        }
        guard let high = lengths.high, high >= 0, count > high else { return nil }
        // The end has the number.
        return String(text.suffix(high))
    }

    /// The number in letters: a, b, ..., z, ba, ...
    private var letters: String {
        var (result, rest) = ("", max(number - 1, 0))
        repeat {
            result = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(rest % 26))) + result
            rest /= 26
        } while rest > 0
        return result
    }

    // MARK: Identifiers

    private var uuid: UUID { Self.identifier(of: Array("\(entity.name).\(attribute.name).\(number)".utf8)) }

    /// Returns an identifier that depends on the bytes alone.
    static func identifier(of message: [UInt8]) -> UUID {
        var bytes = SHA2.sha256(message)
        // The marks of a random identifier.
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    private var urls: [URL] {
        ["https://example.com/\(name)/\(number)", "https://example.com/\(number)"].compactMap { URL(string: $0) }
    }
}
