import Foundation

/// A time as a user writes it: a day, a date with a time, or a span before now.
enum TimeOperand {
    /// The seconds of the units of spans.
    private static let units: [Character: Double] = ["h": 3600, "d": 86400, "w": 604_800]

    /// Returns the time that an option names, in seconds since 2001-01-01.
    ///
    /// - Parameter endsDay: Whether a day without a time means its end.
    /// - Throws: ``ToolError`` for a string that is not a time.
    static func seconds(
        _ arguments: Arguments, option: String, endsDay: Bool, now: Date = Date()
    ) throws -> Double? {
        guard let text = arguments.value(option) else { return nil }
        if let seconds = DateText.seconds(text) { return seconds }
        // A day that its month does not have would become one of the next month.
        if let day = DateText.seconds(text + "T00:00:00Z"), DateText.whole(day).hasPrefix(text) {
            return endsDay ? day + 86400 : day
        }
        if let unit = text.last.flatMap({ units[$0] }),
            text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }),
            let count = Double(text.dropLast())
        {
            return now.timeIntervalSinceReferenceDate - count * unit
        }
        throw ToolError(
            .usage, "'\(text)' is not a time, as --\(option) needs",
            hint: "write a day in UTC (2026-06-01), a time (2026-06-01T12:00:00Z), or a span before now (36h, 30d, 4w)")
    }
}
