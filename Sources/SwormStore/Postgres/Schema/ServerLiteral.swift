#if PostgreSQL
import Foundation
import SwormPredicates

/// The constants of a model as SQL text, for defaults and for the conditions of indexes, which cannot have parameters.
enum ServerLiteral {
    /// Returns a constant in the type of an attribute's column, or nil for NULL, and for a constant that the column cannot
    /// store unchanged.
    static func text(_ value: AttributeValue, as type: AttributeType, storesSeconds: Bool = false) -> String? {
        switch (type, value) {
        case (.boolean, .bool(let flag)): return flag ? "TRUE" : "FALSE"
        case (.boolean, .int(let number)) where number == 0 || number == 1: return number == 1 ? "TRUE" : "FALSE"
        case (.integer16, .int(let number)): return Int16(exactly: number).map(String.init)
        case (.integer32, .int(let number)): return Int32(exactly: number).map(String.init)
        case (.integer64, .int(let number)):
            // The server reads a sign and a number that has no negative counterpart.
            return number == .min ? "'\(number)'::bigint" : String(number)
        case (.double, .double(let number)): return text(number, type: "float8")
        case (.double, .int(let number)): return Double(exactly: number).flatMap { text($0, type: "float8") }
        case (.float, .double(let number)): return Float(exactly: number).flatMap { text($0) }
        case (.float, .int(let number)): return Float(exactly: number).flatMap { text($0) }
        case (.decimal, .decimal(let number)): return number.isNaN ? nil : "'\(number)'::numeric"
        case (.decimal, .int(let number)): return "'\(number)'::numeric"
        case (.string, .string(let text)): return quoted(text)
        case (.uri, .url(let url)): return quoted(url.absoluteString)
        case (.uuid, .uuid(let identifier)): return "'\(identifier.uuidString.lowercased())'::uuid"
        case (.binaryData, .data(let data)), (.transformable, .data(let data)): return text(data)
        case (.date, .date(let date)):
            let seconds = date.timeIntervalSinceReferenceDate
            return storesSeconds
                ? text(seconds, type: "float8") : ServerTimestamp.text(seconds).map { "'\($0)'::timestamptz" }
        default: return nil
        }
    }

    /// Returns a string in the form that no setting of the server changes, or nil if it has U+0000.
    static func quoted(_ text: String) -> String? {
        guard !text.utf8.contains(0) else { return nil }
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return SQLName.literal(text) }
        return "E" + SQLName.literal(SQLName.doubling("\\", in: text))
    }

    private static func text(_ number: Double, type: String) -> String? {
        guard !number.isNaN else { return nil }
        return "'\(number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)")'::\(type)"
    }

    private static func text(_ number: Float) -> String? {
        guard !number.isNaN else { return nil }
        return "'\(number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)")'::real"
    }

    private static func text(_ data: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "E'\\\\x\(String(decoding: text, as: UTF8.self))'::bytea"
    }
}

/// The text of a `timestamptz`, which is the same for every time zone of the server and every style of dates.
enum ServerTimestamp {
    private static let microsecondsOfDay: Int64 = 86_400_000_000
    /// The days from the first of March of the year 0 to the first of January 2001.
    private static let daysBeforeReference: Int64 = 730_791

    /// Returns seconds since 2001 rounded to the microsecond, or nil for a date that a server cannot represent.
    static func text(_ seconds: Double) -> String? {
        guard ServerDate.isRepresentable(Date(timeIntervalSinceReferenceDate: seconds)) else { return nil }
        let whole = seconds.rounded(.down)
        let rest = ((seconds - whole) * 1e6).rounded(.toNearestOrEven)
        let microseconds = Int64(whole) * 1_000_000 + Int64(rest)
        let day = (microseconds >= 0 ? microseconds : microseconds - (microsecondsOfDay - 1)) / microsecondsOfDay
        let time = microseconds - day * microsecondsOfDay
        let (year, month, date) = civil(day + daysBeforeReference)
        func digits(_ number: Int64, count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let clock = time / 1_000_000
        var text =
            "\(digits(year > 0 ? year : 1 - year, count: 4))-\(digits(month, count: 2))-\(digits(date, count: 2)) "
        text += "\(digits(clock / 3600, count: 2)):\(digits(clock / 60 % 60, count: 2)):\(digits(clock % 60, count: 2))"
        if time % 1_000_000 != 0 { text += "." + digits(time % 1_000_000, count: 6) }
        return text + "+00" + (year > 0 ? "" : " BC")
    }

    /// Returns the date of a day of the Gregorian calendar.
    ///
    /// - Parameter day: The number of days since the first of March of the year 0, so that a leap day is the last of its
    ///   year.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, date: Int64) {
        let (daysOfCycle, daysOfCentury, daysOfLeap): (Int64, Int64, Int64) = (146_097, 36_524, 1460)
        let cycle = (day >= 0 ? day : day - (daysOfCycle - 1)) / daysOfCycle
        let rest = day - cycle * daysOfCycle
        let year = (rest - rest / daysOfLeap + rest / daysOfCentury - rest / (daysOfCycle - 1)) / 365
        let dayOfYear = rest - (365 * year + year / 4 - year / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (year + cycle * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
#endif
