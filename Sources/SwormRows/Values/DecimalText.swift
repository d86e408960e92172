package import Foundation

/// Decimals as SQLite holds them: integers, reals, or texts.
package enum DecimalText {
    /// No decimal needs more: 38 digits, a sign, a point, an exponent. Longer texts carry zeros at most.
    private static let longest = 400

    /// The shortest text that reads back as the same double, taken as a decimal. nil outside a decimal's range.
    package static func decimal(_ value: Double) -> Decimal? {
        guard isRepresentable(value) else { return nil }
        return decimal("\(value)")
    }

    package static func decimal(_ text: String) -> Decimal? {
        // Foundation reads as far as the text is a number, and takes what it got.
        guard isNumber(text.utf8), let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
        return value
    }

    package static func isRepresentable(_ value: Double) -> Bool {
        value == 0 || (abs(value) < 1e127 && abs(value) > 1e-127)
    }

    /// Sign, digits with at most one point, exponent; nothing else, but for a letter `m` at the end.
    ///
    /// A column of numeric affinity turns a text of nothing but a number into a double. The letter keeps it from doing so
    /// with a number of more digits than a double has.
    package static func isNumber(_ text: some BidirectionalCollection<UInt8>) -> Bool {
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
