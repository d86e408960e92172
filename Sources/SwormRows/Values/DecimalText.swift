package import Foundation

/// The conversion of SQLite's decimals: integers, reals, or strings.
@usableFromInline
package enum DecimalText {
    /// The maximum length. A decimal has at most 38 digits, a sign, a point and an exponent; longer strings only
    /// contain further zeros.
    private static let longest = 400

    /// Returns the shortest text that reads as the same double, parsed as a decimal, or nil if it is out of a
    /// decimal's range.
    package static func decimal(_ value: Double) -> Decimal? {
        guard isRepresentable(value) else { return nil }
        return decimal("\(value)")
    }

    package static func decimal(_ text: String) -> Decimal? {
        // Foundation parses the number at the start and ignores the rest.
        guard isNumber(text.utf8), let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
        return value
    }

    @usableFromInline

    package static func isRepresentable(_ value: Double) -> Bool {
        value == 0 || (abs(value) < 1e127 && abs(value) > 1e-127)
    }

    /// Returns whether the bytes are a number. Not generic, so that it is specialized for other modules too.
    @usableFromInline
    static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool { isNumber(bytes: text) }

    /// Returns whether the string is a number. Not generic, so that it is specialized for other modules too.
    static func isNumber(_ text: String.UTF8View) -> Bool { isNumber(bytes: text) }

    /// Returns whether the string consists of a sign, digits with at most one point, and an exponent, optionally
    /// followed by the letter `m`.
    ///
    /// A column with numeric affinity converts a string that is only a number to a double. The letter prevents this
    /// for a number with more digits than a double has.
    private static func isNumber(bytes text: some BidirectionalCollection<UInt8>) -> Bool {
        guard text.count <= longest else { return false }
        var rest = text[...]
        if rest.last == UInt8(ascii: "m") { rest = rest.dropLast() }
        func isSign(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }
        func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
        if isSign(rest.first) { rest = rest.dropFirst() }
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var digits = whole.count
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            let fraction = rest.prefix(while: isDigit)
            rest = rest.dropFirst(fraction.count)
            digits += fraction.count
        }
        guard digits > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if isSign(rest.first) { rest = rest.dropFirst() }
            guard !rest.isEmpty, rest.count <= 4 else { return false }
            return rest.allSatisfy(isDigit)
        }
        return rest.isEmpty
    }
}
