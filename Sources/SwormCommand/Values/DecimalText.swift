import Foundation

/// Decimal numbers as plain digits.
enum DecimalText {
    /// Parses a number without losing digits, or returns nil for any other string.
    static func number(_ text: String) -> Decimal? {
        guard let plain = normalized(text), let number = Decimal(string: text, locale: posix),
            normalized(number.description) == plain
        else { return nil }
        return number
    }

    private static let posix = Locale(identifier: "en_US_POSIX")

    /// Returns the digits without redundant zeros, or nil if the string does not consist of digits.
    private static func normalized(_ text: String) -> String? {
        let isNegative = text.hasPrefix("-")
        let parts = text.utf8.dropFirst(isNegative ? 1 : 0).split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let whole = String(decoding: parts[0].drop { $0 == 0x30 }, as: UTF8.self)
        var fraction = parts.count > 1 ? Array(parts[1]) : []
        while fraction.last == 0x30 { fraction.removeLast() }
        if whole.isEmpty, fraction.isEmpty { return "0" }
        return (isNegative ? "-" : "") + whole + "." + String(decoding: fraction, as: UTF8.self)
    }
}
