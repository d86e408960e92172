import SwormPredicates

// Totals and extremes, of members and of the rows of a group.
extension SQLDialect {
    /// Returns the sum of a value, which is 0 if no row has one.
    func sum(of value: QueryScalar) throws -> String {
        switch self {
        case .sqlite: return Self.sum(of: value, followedBy: "", empty: "0")
        case .postgres:
            // The sum of small integers is a bigint, and that of larger integers a numeric: neither overflows.
            if value.isInteger { return "COALESCE(SUM(\(plain(value))), 0)" }
            let sum = try realSum(of: value)
            return "(CASE COUNT(\(value.sql)) WHEN 0 THEN 0 ELSE \(sum) END)"
        }
    }

    /// Returns the average of a value of members. A member without a value counts as zero, as in key-value coding.
    func average(ofMembers value: QueryScalar) throws -> String {
        switch self {
        case .sqlite: return Self.sum(of: value, followedBy: " * 1.0 / COUNT(*)", empty: "0.0")
        case .postgres:
            if value.isInteger { return "COALESCE(SUM(\(plain(value)))::float8 / COUNT(*), 0)" }
            let sum = try realSum(of: value)
            return "(CASE COUNT(\(value.sql)) WHEN 0 THEN 0 ELSE \(sum) / COUNT(*) END)"
        }
    }

    /// Returns the average of the values that rows have, or NULL if no row has a value.
    func average(of value: QueryScalar) throws -> String {
        switch self {
        case .sqlite:
            return "AVG(\(value.kind == .decimal ? "CAST(\(value.column ?? value.sql) AS REAL)" : value.sql))"
        case .postgres:
            let sum = value.isInteger ? "SUM(\(plain(value)))::float8" : try realSum(of: value)
            return "(\(sum) / COUNT(\(value.sql)))"
        }
    }

    /// Returns the smallest or the largest value.
    func extreme(of value: QueryScalar, isLargest: Bool) throws -> String {
        let name = isLargest ? "MAX" : "MIN"
        switch (self, value.kind) {
        case (.sqlite, _): return "\(name)(\(value.sql))"
        // A server has no order of Booleans for MIN and MAX.
        case (.postgres, .boolean) where value.form == .native:
            return "\(isLargest ? "bool_or" : "bool_and")(\(value.sql))"
        case (.postgres, .number) where value.isWide: throw NotExact(.mixedNumbers, of: value)
        case (.postgres, let kind):
            let isComputedText = kind?.isText == true && value.column == nil
            return "\(name)(\(value.sql)\(isComputedText ? " COLLATE \"C\"" : ""))"
        }
    }

    /// Returns the type of a total or an extreme.
    func form(of aggregate: QueryAggregate, of value: QueryScalar) -> QueryScalar.Form {
        guard self != .sqlite else { return .number }
        switch aggregate {
        case .sum: return value.isInteger ? .total : .number
        case .average: return .number
        case .minimum, .maximum: return value.form
        }
    }

    /// Whether a sum of values can be so large that arithmetic on it overflows.
    func isWide(sumOf value: QueryScalar) -> Bool {
        // The sum of reals is an integer only if it is 0.
        self == .sqlite || value.isInteger
    }

    /// Returns the sum of reals or decimals as a real, which is NULL if both infinities are among them. The sum of
    /// `real` would be a `real` without most of the digits.
    private func realSum(of value: QueryScalar) throws -> String {
        if value.kind == .number, value.isWide { throw NotExact(.mixedNumbers, of: value) }
        return "nullif(SUM((\(value.sql))::float8), 'NaN')"
    }

    /// Returns the sum of a value in SQLite followed by `rest`, or `empty` if no row has a value.
    private static func sum(of value: QueryScalar, followedBy rest: String, empty: String) -> String {
        if value.isInteger, !value.isWide { return "COALESCE(SUM(\(value.sql))\(rest), \(empty))" }
        guard value.isInteger else {
            let real = value.kind == .decimal ? "CAST(\(value.column ?? value.sql) AS REAL)" : value.sql
            // The sum of reals is NULL if both infinities are among them.
            return "CASE COUNT(\(value.sql)) WHEN 0 THEN \(empty) ELSE SUM(\(real))\(rest) END"
        }
        // SQLite throws an error if a sum of integers overflows. The sums of the two halves cannot overflow.
        let halves = "(SUM(\(value.sql) >> 32) * 4294967296 + SUM(\(value.sql) & 4294967295))"
        return "COALESCE(\(halves)\(rest), \(empty))"
    }

    // MARK: Decimals with all their digits

    /// Returns the exact sum of decimals: zero if no row has a value, and NULL for the sum of both infinities.
    func decimalSum(of value: QueryScalar) -> String {
        switch self {
        case .sqlite: DecimalFunction.sum(of: value)
        case .postgres: "COALESCE(SUM(\(value.sql)), 0)"
        }
    }

    func decimalExtreme(of value: QueryScalar, isLargest: Bool) -> String {
        switch self {
        case .sqlite: isLargest ? DecimalFunction.maximum(of: value) : DecimalFunction.minimum(of: value)
        case .postgres: "\(isLargest ? "MAX" : "MIN")(\(value.sql))"
        }
    }

    /// Changes a value to a decimal with all its digits, which is compared as a number.
    func setDecimal(_ text: String, of value: inout QueryScalar) {
        value.column = text
        value.sql = self == .sqlite ? "(\(text) + 0)" : text
        value.kind = .decimal
        value.form = .number
    }
}
