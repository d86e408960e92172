import Foundation
import SwormPredicates
import SwormStore

// Values and validation rules as Swift code.
extension SwiftAttribute {
    // MARK: Values

    /// Returns a value as Swift code; nil if no code of the type makes it.
    static func literal(_ value: AttributeValue, as type: SwormPredicates.AttributeType) -> String? {
        switch (value, type) {
        case (.int(let number), .boolean): return number == 0 ? "false" : "true"
        case (.bool(let flag), .boolean): return flag ? "true" : "false"
        case (.int, _), (.double, _), (.decimal, _): return literal(number: value, as: type)
        case (.string(let text), .string): return SwiftNames.literal(text)
        case (.date(let date), .date):
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds.isFinite ? "Date(timeIntervalSinceReferenceDate: \(seconds))" : nil
        case (.uuid(let uuid), .uuid): return "UUID(uuidString: \"\(uuid.uuidString)\") ?? UUID()"
        case (.url(let url), .uri):
            return "URL(string: \(SwiftNames.literal(url.absoluteString))) ?? URL(filePath: \"/\")"
        default: return nil
        }
    }

    /// Returns a number as code of a type; nil if the type does not have the number.
    private static func literal(number value: AttributeValue, as type: SwormPredicates.AttributeType) -> String? {
        switch type {
        case .integer16: return whole(value).flatMap { Int16(exactly: $0) }.map { "\($0)" }
        case .integer32: return whole(value).flatMap { Int32(exactly: $0) }.map { "\($0)" }
        case .integer64: return whole(value).map { "\($0)" }
        case .double:
            if case .int(let number) = value { return "\(number).0" }
            return number(value).flatMap { $0.isFinite ? "\($0)" : nil }
        case .float:
            if case .int(let number) = value { return "\(number)" }
            return number(value).map { Float($0) }.flatMap { $0.isFinite ? "\($0)" : nil }
        case .decimal:
            if let number = whole(value) { return "\(number)" }
            if case .decimal(let number) = value {
                return number.isNaN ? nil : "Decimal(string: \"\(number)\") ?? 0"
            }
            // Decimal numbers have smaller exponents.
            return number(value).flatMap { abs($0) < 1e100 ? "\($0)" : nil }
        default: return nil
        }
    }

    /// Returns a number without a fraction; nil for any other value.
    private static func whole(_ value: AttributeValue) -> Int64? {
        switch value {
        case .int(let number): number
        case .double(let number): Int64(exactly: number)
        case .decimal(let number): Int64(number.description)
        default: nil
        }
    }

    /// Returns a number, or a date as the number of its seconds; nil for any other value.
    private static func number(_ value: AttributeValue) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): Double(number.description)
        case .date(let date): date.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    // MARK: Rules

    /// Returns validation rules as options of a table, and the rules that options cannot express as comments.
    static func rules(
        _ rules: [ValidationRule], for type: SwormPredicates.AttributeType
    ) -> (said: [String], unsaid: [String]) {
        var (said, unsaid): ([String], [String]) = ([], [])
        var bounds: (low: AttributeValue?, high: AttributeValue?) = (nil, nil)
        var lengths: (low: Int?, high: Int?) = (nil, nil)
        for rule in rules {
            switch rule {
            case .minimum(let value) where bounds.low == nil && bound(value, as: type) != nil: bounds.low = value
            case .minimum(let value): unsaid.append("at least \(value)")
            case .maximum(let value) where bounds.high == nil && bound(value, as: type) != nil: bounds.high = value
            case .maximum(let value): unsaid.append("at most \(value)")
            case .minimumLength(let count) where lengths.low == nil: lengths.low = count
            case .minimumLength(let count): unsaid.append("at least \(count) characters")
            case .maximumLength(let count) where lengths.high == nil: lengths.high = count
            case .maximumLength(let count): unsaid.append("at most \(count) characters")
            case .pattern(let pattern): said.append(".pattern(\(SwiftNames.literal(pattern)))")
            case .predicate(_, let text): unsaid.append("validated by \(text)")
            }
        }
        if let low = bounds.low, let high = bounds.high, isAbove(low, high) {
            unsaid.append("at least \(low) and at most \(high): no value is valid, and no range has these bounds")
        } else if let text = range(
            bounds.low.flatMap { bound($0, as: type) }, bounds.high.flatMap { bound($0, as: type) })
        {
            said.insert(".range(\(text))", at: 0)
        }
        if let low = lengths.low, let high = lengths.high, low > high {
            unsaid.append(
                "at least \(low) and at most \(high) characters: no string is valid, and no range has these bounds")
        } else if let text = range(lengths.low.map { operand("\($0)") }, lengths.high.map { operand("\($0)") }) {
            said.insert(".length(\(text))", at: 0)
        }
        return (said, unsaid)
    }

    /// Returns the code of a range; nil without any bound.
    private static func range(_ low: String?, _ high: String?) -> String? {
        low == nil && high == nil ? nil : "\(low ?? "")...\(high ?? "")"
    }

    /// Returns a limit as the bound of a range; nil if no code of the type makes it.
    private static func bound(_ value: AttributeValue, as type: SwormPredicates.AttributeType) -> String? {
        guard let text = literal(value, as: type) else { return nil }
        switch type {
        case .integer16, .integer32, .float, .decimal:
            // The literal alone would have another type.
            return text.contains(" ?? ") ? "(\(text))" : "\(Self.type(type))(\(text))"
        case .integer64, .double: return operand(text)
        case .date: return text
        default: return nil
        }
    }

    /// Returns the literal of a number as an operand. Without brackets, a minus sign after an operator is part of it.
    private static func operand(_ literal: String) -> String { literal.hasPrefix("-") ? "(\(literal))" : literal }

    /// Returns whether the lower bound is above the upper one.
    private static func isAbove(_ low: AttributeValue, _ high: AttributeValue) -> Bool {
        if let low = whole(low), let high = whole(high) { return low > high }
        if case .decimal(let low) = low, case .decimal(let high) = high { return low > high }
        guard let low = number(low), let high = number(high) else { return false }
        return low > high
    }
}
