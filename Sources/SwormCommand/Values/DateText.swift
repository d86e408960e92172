import Foundation

/// Dates in ISO 8601 format in UTC. They are written without a formatter, which would be slow for millions of rows.
enum DateText {
    /// The seconds from 1970 to Core Data's reference date.
    private static let referenceSeconds = 978_307_200.0
    /// The range of dates whose years have four digits.
    private static let range = -62_135_596_800.0..<253_402_300_800.0

    /// Writes seconds since 2001 as `2024-01-02T03:04:05.678Z`, with three to six decimals.
    ///
    /// A date outside the years 1 to 9999 has no such form, and is written as a number.
    static func write(_ seconds: Double, to sink: ByteSink) {
        let since1970 = seconds + referenceSeconds
        guard range.contains(since1970) else { return sink.write("\(seconds)") }
        var whole = seconds.rounded(.down)
        var micros = ((seconds - whole) * 1e6).rounded()
        if micros >= 1e6 {
            whole += 1
            micros = 0
        }
        writeSeconds(Int64(whole + referenceSeconds), to: sink)
        sink.write(UInt8(ascii: "."))
        let fraction = UInt64(micros)
        if fraction % 1000 == 0 {
            sink.write(digits: fraction / 1000, width: 3)
        } else {
            sink.write(digits: fraction, width: 6)
        }
        sink.write(UInt8(ascii: "Z"))
    }

    /// Returns the string of a date without a fraction of a second.
    static func whole(_ seconds: Double) -> String {
        let sink = ByteSink()
        write(seconds.rounded(), to: sink)
        return sink.text.replacingOccurrences(of: ".000", with: "")
    }

    /// Returns the string of a date that parses as exactly the same number, or nil if this requires more than nine
    /// decimals.
    static func exact(_ seconds: Double) -> String? {
        guard range.contains(seconds + referenceSeconds) else { return nil }
        var whole = seconds.rounded(.down)
        var nanos = ((seconds - whole) * 1e9).rounded()
        if nanos >= 1e9 {
            whole += 1
            nanos = 0
        }
        let sink = ByteSink()
        writeSeconds(Int64(whole + referenceSeconds), to: sink)
        if nanos > 0 {
            sink.write(UInt8(ascii: "."))
            sink.write(digits: UInt64(nanos), width: 9)
        }
        var text = sink.text
        if nanos > 0 { while text.hasSuffix("0") { text.removeLast() } }
        text += "Z"
        return Self.seconds(text) == seconds ? text : nil
    }

    /// Parses the output of `exact(_:)`.
    static func seconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
            bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":")
        else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var result: Int64 = 0
            for byte in bytes[range] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                result = result * 10 + Int64(byte - 0x30)
            }
            return result
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        var fraction = 0.0
        if bytes.count > 20 {
            guard bytes[19] == UInt8(ascii: "."), bytes.count <= 30, let digits = number(20..<(bytes.count - 1)) else {
                return nil
            }
            fraction = Double(digits) / pow(10, Double(bytes.count - 21))
        }
        let seconds = daysSince1970(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + second
        return Double(seconds) - referenceSeconds + fraction
    }

    private static func writeSeconds(_ since1970: Int64, to sink: ByteSink) {
        var days = since1970 / 86400
        var rest = since1970 % 86400
        if rest < 0 {
            rest += 86400
            days -= 1
        }
        // The civil calendar, counted in eras of 400 years that start in March.
        days += 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        sink.write(digits: UInt64(max(0, year)), width: 4)
        sink.write(UInt8(ascii: "-"))
        sink.write(digits: UInt64(month), width: 2)
        sink.write(UInt8(ascii: "-"))
        sink.write(digits: UInt64(dayOfYear - (153 * shifted + 2) / 5 + 1), width: 2)
        sink.write(UInt8(ascii: "T"))
        sink.write(digits: UInt64(rest / 3600), width: 2)
        sink.write(UInt8(ascii: ":"))
        sink.write(digits: UInt64(rest % 3600 / 60), width: 2)
        sink.write(UInt8(ascii: ":"))
        sink.write(digits: UInt64(rest % 60), width: 2)
    }

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
