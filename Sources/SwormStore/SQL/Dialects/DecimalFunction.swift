import SwormPredicates

/// The SQL of the decimal aggregates that a store's connections define.
///
/// These aggregates keep all digits. SQLite's own aggregates read only the first digits of a number that is stored as
/// text, and add reals.
enum DecimalFunction {
    static let sum = "SwormDecimalSum"
    static let minimum = "SwormDecimalMin"
    static let maximum = "SwormDecimalMax"

    /// Returns the sum of a column: zero if no row has a value, and NULL for the sum of both infinities.
    static func sum(of value: QueryScalar) -> String {
        let column = value.column ?? value.sql
        return "CASE COUNT(\(column)) WHEN 0 THEN 0 ELSE \(sum)(\(column)) END"
    }

    static func minimum(of value: QueryScalar) -> String { "\(minimum)(\(value.column ?? value.sql))" }
    static func maximum(of value: QueryScalar) -> String { "\(maximum)(\(value.column ?? value.sql))" }
}
