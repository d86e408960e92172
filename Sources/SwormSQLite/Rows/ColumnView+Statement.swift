import CSwormSQLite
import SwormRows

extension ColumnView {
    /// Creates a view of a column of the statement's current row.
    ///
    /// The values are unprotected, which is sufficient because one thread uses the connection.
    init(_ statement: OpaquePointer, column: Int32) {
        let value = sqlite3_column_value(statement, column)
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: self.init(column, integer: sqlite3_value_int64(value))
        case SQLITE_FLOAT: self.init(column, real: sqlite3_value_double(value))
        case SQLITE_TEXT:
            let start = sqlite3_value_text(value)
            self.init(
                column,
                text: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
        case SQLITE_BLOB:
            // An empty blob has no address.
            let start = sqlite3_value_blob(value)
            self.init(
                column,
                blob: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value))))
        default: self.init(null: column)
        }
    }
}

extension DecodingFailure {
    /// Creates the error for a column of the statement's current row.
    @inline(never)
    init(statement: OpaquePointer, column: Int32, expected: String) {
        self.init(
            ColumnView(statement, column: column), rowID: sqlite3_column_int64(statement, 0), expected: expected)
    }
}
