import SwormPredicates

/// The aggregates of decimals that a store's connections have, as parts of statements.
///
/// They keep all digits. SQLite's own take a number that is kept as text for its first digits, and add reals.
enum DecimalFunction {
    static let sum = "SwormDecimalSum"
    static let minimum = "SwormDecimalMin"
    static let maximum = "SwormDecimalMax"

    /// The sum of a column; zero where there is no value. The sum of both infinities is NULL.
    static func sum(of value: QueryScalar) -> String {
        let column = value.column ?? value.sql
        return "CASE COUNT(\(column)) WHEN 0 THEN 0 ELSE \(sum)(\(column)) END"
    }

    static func minimum(of value: QueryScalar) -> String { "\(minimum)(\(value.column ?? value.sql))" }
    static func maximum(of value: QueryScalar) -> String { "\(maximum)(\(value.column ?? value.sql))" }
}

extension QueryScalar {
    /// Makes the scalar a decimal with all its digits, that is compared as a number.
    mutating func setDecimal(_ text: String) {
        column = text
        sql = "(\(text) + 0)"
        kind = .decimal
    }
}
