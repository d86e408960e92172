import Foundation
import SwormPredicates
import SwormRows

// Constants in the types in which a server compares and computes exactly.
extension SQLDialect {
    /// Returns a constant in the type of its kind, or nil for an object.
    ///
    /// - Throws: ``NotExact`` for a string that a server cannot represent.
    func binding(_ value: AttributeValue) throws -> SQLBinding? {
        guard self != .sqlite else { return SQLBinding(value) }
        switch value {
        case .bool(let flag): return .bool(flag)
        case .decimal(let number): return number.isNaN ? .null : .decimal(number)
        case .date(let date): return ServerDate.binding(date)
        case .uuid(let identifier): return .uuid(identifier)
        case .string(let text): return .text(try representable(text))
        case .url(let url): return .text(try representable(url.absoluteString))
        case .null, .int, .double, .data, .object: return SQLBinding(value)
        }
    }

    /// Returns a constant as a column stores it: a date of a server has whole microseconds.
    func rounded(_ constant: AttributeValue) -> AttributeValue {
        guard self != .sqlite, case .date(let date) = constant else { return constant }
        return .date(Date(timeIntervalSinceReferenceDate: ServerDate.seconds(date)))
    }

    /// Returns the type of a constant.
    func form(of constant: AttributeValue) -> QueryScalar.Form {
        guard self != .sqlite else { return .number }
        switch constant {
        case .bool: return .native
        case .date(let date): return ServerDate.isRepresentable(date) ? .native : .number
        default: return .number
        }
    }

    /// Returns whether the database can have a value. A server has no strings with U+0000.
    func hasConstant(_ value: AttributeValue) -> Bool {
        guard self != .sqlite, let text = value.string else { return true }
        return !text.utf8.contains(0)
    }

    /// Returns whether a constant is an integer that cannot be compared with a real as one.
    func isWide(_ constant: AttributeValue) -> Bool {
        guard self != .sqlite, case .int(let number) = constant else { return false }
        return Double(exactly: number) == nil
    }

    /// Returns the text of NULL instead of a constant that is not a number, with the type of the constant; nil for
    /// any other constant.
    func missing(_ constant: AttributeValue, as binding: SQLBinding) -> String? {
        guard self != .sqlite, binding == .null else { return nil }
        return ServerType.name(ofMissing: constant).map { "NULL::\($0)" }
    }

    /// Returns a string, or throws an error if a server cannot represent it.
    private func representable(_ text: String) throws -> String {
        guard !text.utf8.contains(0) else {
            throw NotExact(.zeroCharacter, path: "a string", entity: "the predicate")
        }
        return text
    }

    /// Returns a value, and the constant with which it is compared, in types that a server compares exactly. The type
    /// of the constant allows for the use of an index on the value.
    func compared(
        _ value: QueryScalar, with constant: AttributeValue
    ) throws -> (text: String, binding: SQLBinding) {
        guard let natural = try binding(constant) else {
            throw QueryError.objectAndValue(path: value.path, entity: value.entity)
        }
        if natural == .null { return (value.sql, .null) }
        switch value.kind {
        case .boolean where value.form == .native:
            if let flag = constant.flag { return (value.sql, .bool(flag)) }
            return (plain(value), try integer(constant, for: value))
        case .date:
            guard case .date(let date) = constant else { return (value.sql, natural) }
            if value.form == .native, ServerDate.isRepresentable(date) { return (value.sql, natural) }
            // A column of doubles is compared with all digits.
            return (
                plain(value),
                .double(value.column == nil ? ServerDate.seconds(date) : date.timeIntervalSinceReferenceDate)
            )
        case .integer, .boolean: return (value.sql, try integer(constant, for: value))
        case .real: return (value.sql, try real(constant, for: value))
        case .decimal: return (value.sql, try decimal(constant, natural: natural, for: value))
        case .number:
            guard !value.isWide else { throw NotExact(.mixedNumbers, of: value) }
            return (value.sql, try real(constant, for: value))
        default: return (value.sql, natural)
        }
    }

    /// Returns the constant with which an integer is compared.
    private func integer(_ constant: AttributeValue, for value: QueryScalar) throws -> SQLBinding {
        if let whole = constant.wholeNumber { return .int64(whole) }
        let number = constant.numericDouble ?? .nan
        // A fraction is closer to zero than any integer that is rounded when it is converted to a real.
        guard abs(number) >= 0x1p63, number.isFinite else { return .double(number) }
        // The largest integers would be rounded to the number. No integer of a column is as large.
        guard value.column != nil else { throw NotExact(.largeInteger, of: value) }
        return .double(number < 0 ? -.infinity : .infinity)
    }

    /// Returns the constant with which a real is compared.
    private func real(_ constant: AttributeValue, for value: QueryScalar) throws -> SQLBinding {
        let whole: Int64
        switch constant {
        case .int(let number): whole = number
        case .decimal(let number):
            guard let integer = number.wholeNumber else { return .double(number.nearestDouble) }
            whole = integer
        default: return .double(constant.numericDouble ?? .nan)
        }
        guard let real = Double(exactly: whole) else { throw NotExact(.largeInteger, of: value) }
        return .double(real)
    }

    /// Returns the constant with which a decimal is compared.
    private func decimal(
        _ constant: AttributeValue, natural: SQLBinding, for value: QueryScalar
    ) throws -> SQLBinding {
        switch constant {
        case .bool(let flag): return .int64(flag ? 1 : 0)
        case .double(let number):
            if let whole = Int64(exactly: number) { return .int64(whole) }
            // The largest whole decimals of 64 bits would be rounded to this number.
            guard number != 0x1p63 else { throw NotExact(.decimalAndReal, of: value) }
            return natural
        default: return natural
        }
    }
}

/// The conversion of dates to timestamps of a server, which have microseconds.
enum ServerDate {
    /// Returns whether a date is a constant of the type of columns. Any other one is compared with the seconds of a
    /// column.
    static func isRepresentable(_ date: Date) -> Bool {
        Microseconds.nearest(to: date.timeIntervalSinceReferenceDate) != nil
    }

    /// Returns a date as a constant: NULL if it is not a number, and its seconds if a server cannot represent it.
    static func binding(_ date: Date) -> SQLBinding {
        let seconds = date.timeIntervalSinceReferenceDate
        if seconds.isNaN { return .null }
        return Microseconds.rounded(seconds).map { .date($0) } ?? .double(seconds)
    }

    /// Returns the seconds of a constant, which has been rounded to the microsecond like the dates of columns.
    static func seconds(_ date: Date) -> Double {
        let seconds = date.timeIntervalSinceReferenceDate
        return Microseconds.rounded(seconds) ?? seconds
    }

    /// Returns a date of a column as seconds since 2001. The difference of the numbers of PostgreSQL 14 is exact, so
    /// that the result is the double that is closest to the microsecond.
    static func seconds(ofColumn text: String) -> String {
        "(extract(epoch FROM \(text)) - 978307200)::float8"
    }

    /// Returns seconds since 2001 as a date of a column, rounded in the same way as a constant.
    ///
    /// - Parameter text: The name of a column, because it is repeated.
    static func timestamp(ofSeconds text: String) -> String {
        // The server multiplies the seconds of an interval by a million, which is exact for days, whole seconds of a
        // day, and fractions of a second. The time zone of the connection must not determine the length of a day.
        "(('2001-01-01'::timestamp + make_interval(days => floor(\(text) / 86400)::int, secs => floor(\(text)) - floor(\(text) / 86400) * 86400) + make_interval(secs => \(text) - floor(\(text)))) AT TIME ZONE 'UTC')"
    }
}

extension AttributeValue {
    /// The number as an integer, if it has no fraction and is in range.
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .bool(let flag): flag ? 1 : 0
        case .int(let number): number
        case .double(let number): Int64(exactly: number)
        // In memory, a decimal with a fraction is compared as the nearest double.
        case .decimal(let number): number.wholeNumber ?? Int64(exactly: number.nearestDouble)
        default: nil
        }
    }

    /// The number as a Boolean, if it is 0 or 1.
    fileprivate var flag: Bool? {
        switch wholeNumber {
        case 0?: false
        case 1?: true
        default: nil
        }
    }
}
