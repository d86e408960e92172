import CSwormSQLite
package import SwormRows

extension RowBuffer {
    /// Reads the statement to its end, or at most `limit` rows, and checks each value against its column's rule.
    ///
    /// After a limit, the next call continues; `statement.isDone` is true if there are no more rows. Throws
    /// `DecodingFailure` for a value that does not fit, and `SQLiteError` for SQLite's errors.
    package static func fill(
        statement: inout Statement, rules: [CellRule], limit: Int? = nil
    ) throws -> RowBuffer {
        guard statement.columnCount == rules.count else {
            throw SQLiteError(
                code: SQLITE_MISUSE,
                message: "\(rules.count) rules for \(statement.columnCount) columns", sql: statement.sql)
        }
        var builder = RowBufferBuilder(stride: rules.count)
        let limit = limit ?? Int.max
        try rules.withUnsafeBufferPointer { rules in
            while builder.count < limit, try statement.step() {
                try builder.append(statement.pointer, rules: rules)
            }
        }
        return try builder.finish()
    }
}
