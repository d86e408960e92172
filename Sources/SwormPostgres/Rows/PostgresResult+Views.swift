#if PostgreSQL
import CSwormPQ
import SwormRows

extension PostgresResult {
    /// Calls the closure with a view of a value, whose bytes are valid for its duration.
    ///
    /// A boolean is an integer, as in SQLite, a date is its seconds since 2001, and a UUID is a blob. A decimal that is no
    /// integer is a string. A value that the driver cannot read is a string that cannot be read.
    func withView<R>(
        row: Int32, column: Int32, _ body: (borrowing ColumnView) throws -> R
    ) rethrows -> R {
        let length = PQgetlength(pointer, row, column)
        guard let start = UnsafeRawPointer(PQgetvalue(pointer, row, column)),
            length > 0 || PQgetisnull(pointer, row, column) == 0
        else { return try body(ColumnView(null: column)) }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(length))
        switch form(ofColumn: column) {
        case .bool where length == 1:
            return try body(ColumnView(column, integer: bytes[0] == 0 ? 0 : 1))
        case .integer, .unsigned:
            if let value = Wire.integer(start, length: length, form: form(ofColumn: column)) {
                return try body(ColumnView(column, integer: value))
            }
        case .real:
            if let value = Wire.real(start, length: length) { return try body(ColumnView(column, real: value)) }
        case .timestamp:
            if let value = Wire.timestamp(start, length: length) { return try body(ColumnView(column, real: value)) }
        case .numeric:
            if var text = NumericFormat.text(bytes) {
                if let value = Int64(text) { return try body(ColumnView(column, integer: value)) }
                return try text.withUTF8 { try body(ColumnView(column, text: UnsafeRawBufferPointer($0))) }
            }
        case .text: return try body(ColumnView(column, text: bytes))
        case .bytes, .uuid: return try body(ColumnView(column, blob: bytes))
        case .bool, .unknown: break
        }
        return try body(ColumnView(column, text: UnsafeRawBufferPointer(start: nil, count: 0)))
    }

    /// Returns the name of a value that the driver cannot read; nil for any other.
    private func unreadable(row: Int32, column: Int32) -> String? {
        withView(row: row, column: column) { view in
            guard view.type == .text, (try? view.string()) == nil else { return nil }
            switch form(ofColumn: column) {
            case .timestamp: return "infinite date"
            case .unsigned: return "number above 9223372036854775807"
            default: return "value of \(type(ofColumn: Int(column)))"
            }
        }
    }

    /// Returns the first column of a row as an integer, as the identity of the row in errors; 0 for another type.
    func rowID(_ row: Int32) -> Int64 {
        integer(row, column: 0) ?? 0
    }

    /// Returns a value as an integer; nil for NULL and for another type.
    func integer(_ row: Int32, column: Int32) -> Int64? {
        guard PQgetisnull(pointer, row, column) == 0, let start = PQgetvalue(pointer, row, column) else { return nil }
        return Wire.integer(start, length: PQgetlength(pointer, row, column), form: form(ofColumn: column))
    }

    /// Returns the error for a value that does not fit.
    @inline(never)
    func failure(row: Int32, column: Int32, expected: String) -> DecodingFailure {
        completed(withView(row: row, column: column) { DecodingFailure($0, expected: expected) }, row: row)
    }

    /// Returns an error of a view with the identity of its row.
    func completed(_ failure: DecodingFailure, row: Int32) -> DecodingFailure {
        DecodingFailure(
            column: failure.column, rowID: rowID(row),
            found: unreadable(row: row, column: Int32(clamping: failure.column)) ?? failure.found,
            expected: failure.expected, excerpt: failure.excerpt)
    }
}
#endif
