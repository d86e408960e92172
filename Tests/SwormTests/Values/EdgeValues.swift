import Foundation
import Sworm

/// A type with the values at its edges.
protocol EdgeValue: SupportedAttributeType, Sendable {
    static var zero: Self { get }
    static var edges: [Self] { get }
    /// Whether not one bit that means anything differs.
    static func same(_ left: Self, _ right: Self) -> Bool
}

extension EdgeValue where Self: Equatable {
    static func same(_ left: Self, _ right: Self) -> Bool { left == right }
}

/// One value of a type, and one that may be missing.
struct Holder<V: EdgeValue>: ManagedObjectConvertible, Sendable {
    var number = 0
    var value = V.zero
    var maybe: V?

    static var entityName: String { "Holder\(V.self)" }
    static var attributes: Set<Attribute<Self>> {
        [.init(\.number, "number"), .init(\.value, "value"), .init(\.maybe, "maybe")]
    }
}

extension Bool: EdgeValue {
    static let zero = false
    static let edges = [false, true]
}

extension FixedWidthInteger where Self: EdgeValue {
    static var zero: Self { 0 }
    static var edges: [Self] { [.min, .min + 1, -1, 0, 1, .max - 1, .max] }
}
extension Int: EdgeValue {}
extension Int16: EdgeValue {}
extension Int32: EdgeValue {}
extension Int64: EdgeValue {}

extension Double: EdgeValue {
    static var zero: Double { 0 }
    static var edges: [Double] {
        [
            0, 1, -1, 0.1, 1.0 / 3, .pi, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNormalMagnitude, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .ulpOfOne, 0x1p53, 0x1p53 + 2,
            0x1p63,
            -0x1p63, 1e18, 4_503_599_627_370_495.5,
        ] + Bits.doubles
    }
    static func same(_ left: Double, _ right: Double) -> Bool { left.bitPattern == right.bitPattern }
}

extension Float: EdgeValue {
    static var zero: Float { 0 }
    static var edges: [Float] {
        [
            0, 1, -1, 0.1, 1 / 3, .pi, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNormalMagnitude, .leastNonzeroMagnitude, .ulpOfOne, 0x1p24 + 2, 0x1p63,
        ]
            + Bits.numbers.compactMap { bits in
                let number = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
                return number.isNaN || number == 0 ? nil : number
            }
    }
    static func same(_ left: Float, _ right: Float) -> Bool { left.bitPattern == right.bitPattern }
}

extension Date: EdgeValue {
    static var zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
    static var edges: [Date] {
        [
            zero, .distantPast, .distantFuture, Date(timeIntervalSince1970: 0),
            Date(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSinceReferenceDate: -0.1),
            Date(timeIntervalSinceReferenceDate: 701_234_567.123456789),
            Date(timeIntervalSinceReferenceDate: 701_234_567.nextUp),
        ] + Bits.doubles.map(Date.init(timeIntervalSinceReferenceDate:))
    }
    static func same(_ left: Date, _ right: Date) -> Bool {
        left.timeIntervalSinceReferenceDate.bitPattern == right.timeIntervalSinceReferenceDate.bitPattern
    }
}

extension Decimal: EdgeValue {
    static var edges: [Decimal] {
        let texts = [
            "0", "1", "-1", "0.1", "-0.1", "1.10", "3.14159265358979323846", "12345678901234567890123456789012345678",
            "-12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678",
            "99999999999999999999999999999999999999", "1234567890123456789.0123456789012345678", "9007199254740993",
            "9223372036854775807", "9223372036854775808", "-9223372036854775809",
            "0.1000000000000000055511151231257827",
            "1e20", "1e-20", "1e100", "1e-100", "12345678901234567890123456789012345678e80", "7e127",
            "12345678901234567890123456789012345678e-120", "5e-127",
        ]
        return texts.compactMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }
            + [.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastFiniteMagnitude, .pi]
    }
}

extension String: EdgeValue {
    static var zero: String { "" }
    static var edges: [String] {
        [
            "", " ", "a", "\u{0}", "a\u{0}b", "\u{0}\u{0}", "é", "e\u{301}",
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
            "\u{FEFF}bom", "\u{10FFFF}", "\r\n\t", "'\"`;--", "%@", "\u{202E}", String(repeating: "x", count: 1 << 20),
            String(repeating: "ü\u{0}", count: 1 << 19),
        ]
    }
    static func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}

extension Data: EdgeValue {
    static var zero: Data { Data() }
    static var edges: [Data] {
        [
            Data(), Data([0]), Data([1]), Data([2]), Data([1, 2, 3]), Data(0...255), Data(repeating: 0, count: 1 << 20),
            Data([2]) + Data(UUID().uuidString.utf8) + Data([0]), Data(0...255)[10..<20],
        ]
    }
}

extension UUID: EdgeValue {
    static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    static var edges: [UUID] {
        let full: UInt8 = 255
        return [
            zero, UUID(),
            UUID(
                uuid: (
                    full, full, full, full, full, full, full, full, full, full, full, full, full, full, full, full
                )),
        ]
    }
}

extension URL: EdgeValue {
    static var zero: URL { URL(filePath: "/") }
    static var edges: [URL] {
        let texts = [
            "https://example.org", "https://example.org/a%20b?q=%C3%A9&r=%00#f", "mailto:a@b.c", "a/b", "?q", "#f",
            "x:",
            "https://user:pass@[::1]:8080/~a;b=c?d[]=e", "https://example.org/é ü", "urn:uuid:" + UUID().uuidString,
            "data:,%00", "https://bücher.example/", "https://example.org/" + String(repeating: "a", count: 100_000),
        ]
        return texts.compactMap { URL(string: $0) } + [
            zero, URL(filePath: "/tmp/a b/é%/x.sqlite"), URL(filePath: "/tmp/folder/", directoryHint: .isDirectory),
        ]
    }
}

/// Random bit patterns, the same in each run.
enum Bits {
    static let seed: UInt64 = 0x005E_ED0F_B175

    static var numbers: [UInt64] {
        var state = seed
        return (0..<60).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// Without zeros and NaNs.
    static var doubles: [Double] {
        numbers.map(Double.init(bitPattern:)).filter { !$0.isNaN && $0 != 0 }
    }
}
