package import Foundation

/// How a column of the declared type `DECIMAL` keeps a decimal number.
///
/// Such a column turns every text that reads as a number into an integer or a double, so digits beyond the fifteenth would
/// be lost without a word. A number that neither form can hold exactly is therefore kept as its digits with the letter `m`
/// behind, which SQLite leaves alone. Readers that take the number at the front of a text still find it, and so does SQLite
/// in `ZPRICE + 0`. The driver reads all three forms.
package enum DecimalColumn {
    /// The letter behind the digits of a number that is kept as text.
    package static let suffix: Character = "m"

    /// What the column is given for a number; nil for NaN.
    package static func store(_ number: Decimal) -> StoredValue? {
        guard !number.isNaN else { return nil }
        if let whole = wholeNumber(number) { return .integer(whole) }
        let text = number.description
        if let double = Double(text), double.isFinite, self.number(from: double) == number { return .real(double) }
        return .text(text + String(suffix))
    }

    /// The number that a double in the column stands for: the shortest decimal that reads as this double.
    package static func number(from double: Double) -> Decimal? {
        // Beyond this a decimal has no exponent for it.
        guard double == 0 || (abs(double) < 1e127 && abs(double) > 1e-127) else { return nil }
        return Decimal(string: double.description, locale: posix)
    }

    private static let posix = Locale(identifier: "en_US_POSIX")

    private static func wholeNumber(_ number: Decimal) -> Int64? {
        guard number.exponent >= 0, number.exponent <= 18 else { return number == 0 ? 0 : nil }
        return Int64(number.description)
    }
}
