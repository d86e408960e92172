import TestSupport
import Foundation
import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

/// Values that are often equal, and often at the edge of something.
///
/// Real numbers are eighths, so that their sums do not depend on the order in which they are added.
enum RandomValue {
    static let texts = [
        "", "a", "A", "ab", "Ab", "aB", "abc", "b", "é", "e\u{301}", "É", "E\u{301}", "e", "ß", "SS", "straße",
        "STRASSE",
        "*", "a*b", "a?b", "?", "%", "a%b", "a_b", "\\", "a\\*", "[a]", "[", "]", "^", "z", "Z", "日本", "😀", "👍🏽", "a\nb",
        "İ",
        "i", "I", "ﬁ", "fi", "ñandú", "NANDU", " ", "'", "\"", "\u{301}", "a\u{301}b", "Å", "Å", "A\u{30A}",
        "\u{10FFFF}",
        "\u{D7FF}", "nil", "1", "0x1", "ａ", "7", "2.5", "8.0", "-2", "100", "0", " 7", "1e300", "Inf",
    ]
    /// Strings that differ in letter case and marks alone.
    static let marked = ["e", "é", "e\u{301}", "E", "É", "nandu", "ñandú", "NANDU", "Ñandú"]
    /// Strings that are numbers, as SQLite converts them.
    static let numerals = [
        "1", "7", "2.5", "8.0", "-2", "+3", "100", "0", " 7 ", "007", "1e2", ".125", "-3.75", "9007199254740993",
        "9223372036854775807", "1e300",
    ]
    static let uuids = ["00000000-0000-0000-0000-000000000001", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"]
    static let urls = ["https://a.example/b", "HTTPS://a.example/B", "mailto:x@y.example", "file:///tmp/a%20b"]

    private static let small: [Int64] = [-2, -1, 0, 1, 2, 3, 5, 7, 8, 100]
    private static let reals: [Double] = [
        0, -0.0, 1, 2.5, -3.75, 7, 8, 0.125, 1024.5, 9_007_199_254_740_992, -1e10, .infinity,
    ]

    static func value(_ type: NSAttributeType, _ random: inout SeededRandom) -> AttributeValue {
        switch type {
        case .integer16AttributeType: .int(random.pick(small + [32767, -32768]) ?? 0)
        case .integer32AttributeType: .int(random.pick(small + [2_147_483_647, -2_147_483_648]) ?? 0)
        case .integer64AttributeType:
            .int(random.pick(small + small + [.max, .min, 9_007_199_254_740_993, -9_007_199_254_740_993]) ?? 0)
        case .doubleAttributeType: .double(random.pick(reals) ?? 0)
        case .floatAttributeType: .double(Double(Float(random.pick(reals) ?? 0)))
        case .decimalAttributeType:
            .decimal(decimal(random.pick(["0", "1", "2.5", "-3.75", "7", "8", "1024.125", "100"]) ?? "0"))
        case .booleanAttributeType: .bool(random.chance(50))
        case .dateAttributeType:
            .date(Date(timeIntervalSinceReferenceDate: random.pick([0, 1, -1, 0.5, 1000.5, -978_307_200, 1e9]) ?? 0))
        case .binaryDataAttributeType: .data(Data(random.pick([[], [0], [1, 2, 3], [255]]) ?? []))
        case .UUIDAttributeType: random.pick(uuids).flatMap(UUID.init).map { .uuid($0) } ?? .null
        case .URIAttributeType: random.pick(urls).flatMap(URL.init).map { .url($0) } ?? .null
        default: .string(random.pick(random.chance(25) ? marked : texts) ?? "")
        }
    }

    /// A number that no attribute needs to hold.
    static func number(_ random: inout SeededRandom) -> AttributeValue {
        switch random.pick(8) {
        case 0: .double(random.pick(reals + [0.1, 1e300, 2.0000001]) ?? 0)
        case 1: .decimal(decimal(random.pick(["0.1", "2.5", "7", "9007199254740993", "100.000000001"]) ?? "0"))
        case 2: .bool(random.chance(50))
        case 3: value(.integer64AttributeType, &random)
        default: .int(random.pick(small) ?? 0)
        }
    }

    static func decimal(_ text: String) -> Decimal {
        Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? 0
    }
}
