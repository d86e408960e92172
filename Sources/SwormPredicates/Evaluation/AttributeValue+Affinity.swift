import Foundation

// SQLite converts the values of a list to the kind of the column that they are compared with. Conditions convert them
// before the comparison, so that rows and objects in memory give the same results.
extension AttributeValue {
    /// The string as which SQLite compares the number with a column of strings; nil for other values.
    package var numberAsText: String? {
        switch self {
        case .bool(let value): value ? "1" : "0"
        case .int(let value): String(value)
        case .double(let value): value.isNaN ? nil : value.textInSQLite
        case .decimal(let value):
            value.isNaN ? nil : value.wholeNumber.map { String($0) } ?? value.nearestDouble.textInSQLite
        case .null, .string, .date, .data, .uuid, .url, .object: nil
        }
    }

    /// The number as which SQLite compares the string with a column of numbers; nil for a string that is no number, and
    /// for other values.
    package var textAsNumber: AttributeValue? {
        guard case .string(let text) = self else { return nil }
        let number = text.trimmingCharacters(in: CharacterSet(charactersIn: " \t\n\r\u{0B}\u{0C}"))
        // Not every number in Swift is one in SQLite, such as "0x10" and "nan".
        guard let first = number.utf8.first, first < UInt8(ascii: "A"),
            number.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) })
        else { return nil }
        if let whole = Int64(number) { return .int(whole) }
        return Double(number).map { .double($0) }
    }
}

extension Double {
    /// The text to which SQLite converts the number: fifteen digits, and always with a fraction.
    fileprivate var textInSQLite: String {
        guard isFinite else { return self < 0 ? "-Inf" : "Inf" }
        let text = String(format: "%.15g", self == 0 ? 0 : self)
        let mantissa = String(text.prefix { $0 != "e" })
        return mantissa.contains(".") ? text : mantissa + ".0" + text.dropFirst(mantissa.count)
    }
}

/// The constants of a list in the forms in which they are compared with attributes of another kind. Each form is made
/// when it is first needed, which is rare.
final class ConvertedMembers: Sendable {
    private let constants: [ConstantValue]
    private let texts = Locked<Set<SQLValue>?>(nil)
    private let numbers = Locked<Set<SQLValue>?>(nil)

    init(_ constants: [ConstantValue]) { self.constants = constants }

    /// Returns whether a constant of another kind is equal to a value after its conversion.
    ///
    /// - Parameter fold: Folds strings before they are compared.
    func contains(_ value: SQLValue, folding fold: (String) -> String) -> Bool {
        switch value {
        case .text: contains(value, in: texts) { $0.numberAsText.map { .text(fold($0)) } }
        case .integer, .real: contains(value, in: numbers) { $0.textAsNumber.map { SQLValue($0) } }
        case .null, .blob, .object: false
        }
    }

    private func contains(
        _ value: SQLValue, in forms: Locked<Set<SQLValue>?>, _ form: (AttributeValue) -> SQLValue?
    ) -> Bool {
        forms.withLock { forms in
            if let forms { return forms.contains(value) }
            let made = Set(
                constants.compactMap { constant in
                    if case .value(let value) = constant { form(value) } else { nil }
                })
            forms = made
            return made.contains(value)
        }
    }
}
