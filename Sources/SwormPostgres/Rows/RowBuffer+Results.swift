#if PostgreSQL
package import SwormRows

extension RowBuffer {
    /// Returns the rows of results, whose values are checked against their columns' rules.
    ///
    /// Booleans are integers, dates are their seconds since 2001, and decimals are integers or strings, as in SQLite.
    ///
    /// - Throws: `DecodingFailure` for a value that does not fit, and ``ServerError``.
    package static func make(of results: [PostgresResult], rules: [CellRule]) throws -> RowBuffer {
        var rest = results[...]
        return try make(rules: rules) { rest.popFirst() }
    }

    /// Returns the rows of results in the same way. Only one of the results is in memory at a time.
    ///
    /// - Parameters:
    ///   - order: The numbers of the rows of each result in the order in which they are taken; nil for their own order.
    ///   - next: Returns the next result, or nil after the last one.
    package static func make(
        rules: [CellRule], order: [Int32]? = nil, next: () throws -> PostgresResult?
    ) throws -> RowBuffer {
        var builder = ResultBufferBuilder(stride: rules.count)
        while let result = try next() {
            guard result.columnCount == rules.count else {
                throw ServerError(.misuse, "\(rules.count) rules for \(result.columnCount) columns")
            }
            try rules.withUnsafeBufferPointer { try builder.append(result, rules: $0, order: order) }
        }
        return try builder.finish()
    }
}
#endif
