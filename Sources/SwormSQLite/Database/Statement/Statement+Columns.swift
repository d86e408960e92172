import CSwormSQLite
package import Foundation
package import SwormRows

// Columns are numbered from 0. The values are converted as SQLite does; ColumnView, RowBuffer and RowPlan contain the
// checked reads. A column that does not exist reads as NULL. Values are SQLite's unprotected values: one thread uses
// the connection, and no value is retained.
extension Statement {
    package func columnName(_ column: Int) -> String {
        sqlite3_column_name(pointer, Int32(clamping: column)).map { String(cString: $0) } ?? ""
    }

    package func type(_ column: Int) -> StorageClass {
        StorageClass(code: sqlite3_column_type(pointer, Int32(clamping: column)))
    }

    package func isNull(_ column: Int) -> Bool { type(column) == .null }
    package func int64(_ column: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(clamping: column)) }
    package func int(_ column: Int) -> Int { Int(truncatingIfNeeded: int64(column)) }
    package func double(_ column: Int) -> Double { sqlite3_column_double(pointer, Int32(clamping: column)) }

    /// Returns the value as a string, or nil for NULL. Invalid UTF-8 is replaced by replacement characters.
    package func text(_ column: Int) -> String? {
        withText(column) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    package func blob(_ column: Int) -> [UInt8]? { withBlob(column) { $0.map(Array.init) } }
    package func data(_ column: Int) -> Data? { withBlob(column) { $0.map { Data($0) } } }

    /// Calls the closure with the UTF-8 bytes of the value, or nil for NULL, which are valid for its duration.
    package func withText<R>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>?) throws -> R) rethrows -> R {
        let value = sqlite3_column_value(pointer, Int32(clamping: column))
        // The order matters: the text must be created before its bytes are counted.
        guard let start = sqlite3_value_text(value) else { return try body(nil) }
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    /// Calls the closure with the bytes of the value, or nil for NULL, which are valid for its duration.
    package func withBlob<R>(_ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
        let value = sqlite3_column_value(pointer, Int32(clamping: column))
        if sqlite3_value_type(value) == SQLITE_NULL { return try body(nil) }
        let start = sqlite3_value_blob(value)
        // An empty blob has no address, but is not NULL.
        guard let start else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }
}
