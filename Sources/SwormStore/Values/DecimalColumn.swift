package import Foundation

/// The form in which a column of the declared type `DECIMAL` stores a decimal number.
///
/// Such a column converts every string that reads as a number to an integer or a double, which would silently lose the
/// digits beyond the fifteenth. A number that neither form represents exactly is therefore stored as its digits
/// followed by the letter `m`, which SQLite does not convert. Readers that parse the number at the start of a string
/// still find it, and so does SQLite in `ZPRICE + 0`. The driver reads all three forms.
package enum DecimalColumn {
    /// The letter after the digits of a number that is stored as text.
    package static let suffix: Character = "m"

    /// Returns the stored form of a number, or nil for NaN.
    package static func store(_ number: Decimal) -> StoredValue? {
        guard !number.isNaN else { return nil }
        if let whole = wholeNumber(number) { return .integer(whole) }
        let text = number.description
        if let double = Double(text), double.isFinite, self.number(from: double) == number { return .real(double) }
        return .text(text + String(suffix))
    }

    /// Returns the number that a double in the column represents: the shortest decimal that reads as this double.
    package static func number(from double: Double) -> Decimal? {
        // `Decimal` has no exponent for larger or smaller numbers.
        guard double == 0 || (abs(double) < 1e127 && abs(double) > 1e-127) else { return nil }
        return Decimal(string: double.description, locale: posix)
    }

    private static let posix = Locale(identifier: "en_US_POSIX")

    private static func wholeNumber(_ number: Decimal) -> Int64? {
        guard number.exponent >= 0, number.exponent <= 18 else { return number == 0 ? 0 : nil }
        return Int64(number.description)
    }
}
