#if PostgreSQL
import CSwormPQ
package import Foundation
package import SwormRows

// Rows and columns are numbered from 0. Each read returns nil for NULL and for a cell that does not exist, and throws
// `DecodingFailure` for a value of another type.
extension PostgresResult {
    package func isNull(_ row: Int, column: Int) -> Bool {
        guard (0..<rowCount).contains(row), (0..<columnCount).contains(column) else { return true }
        return PQgetisnull(pointer, Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column)) == 1
    }

    /// Calls the closure with the bytes of a value, or nil for NULL, which are valid for its duration.
    package func withBytes<R>(
        _ row: Int, column: Int, body: (UnsafeRawBufferPointer?) throws -> R
    ) rethrows -> R {
        guard !isNull(row, column: column) else { return try body(nil) }
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        let length = Int(PQgetlength(pointer, row, column))
        return try body(UnsafeRawBufferPointer(start: PQgetvalue(pointer, row, column), count: length))
    }

    package func bool(_ row: Int, column: Int) throws(DecodingFailure) -> Bool? {
        try value(row, column: column, in: .bool, as: .optionalBool) { $0.count == 1 ? $0[0] != 0 : nil }
    }

    package func int64(_ row: Int, column: Int) throws(DecodingFailure) -> Int64? {
        let form = form(ofColumn: Int32(clamping: column))
        return try checked(row, column: column, as: .optionalInt64) { bytes in
            bytes.baseAddress.flatMap { Wire.integer($0, length: Int32(clamping: bytes.count), form: form) }
        }
    }

    package func int(_ row: Int, column: Int) throws(DecodingFailure) -> Int? {
        try int64(row, column: column).map { Int(truncatingIfNeeded: $0) }
    }

    package func double(_ row: Int, column: Int) throws(DecodingFailure) -> Double? {
        try value(row, column: column, in: .real, as: .optionalDouble) { bytes in
            bytes.baseAddress.flatMap { Wire.real($0, length: Int32(clamping: bytes.count)) }
        }
    }

    package func date(_ row: Int, column: Int) throws(DecodingFailure) -> Date? {
        try value(row, column: column, in: .timestamp, as: .optionalDate) { bytes in
            bytes.baseAddress.flatMap { Wire.timestamp($0, length: Int32(clamping: bytes.count)) }
                .map { Date(timeIntervalSinceReferenceDate: $0) }
        }
    }

    package func decimal(_ row: Int, column: Int) throws(DecodingFailure) -> Decimal? {
        try value(row, column: column, in: .numeric, as: .optionalDecimal) { NumericFormat.decimal($0) }
    }

    package func string(_ row: Int, column: Int) throws(DecodingFailure) -> String? {
        try value(row, column: column, in: .text, as: .optionalString) { String(decoding: $0, as: UTF8.self) }
    }

    package func data(_ row: Int, column: Int) throws(DecodingFailure) -> Data? {
        try value(row, column: column, in: .bytes, as: .optionalData) { Data($0) }
    }

    package func uuid(_ row: Int, column: Int) throws(DecodingFailure) -> UUID? {
        try value(row, column: column, in: .uuid, as: .optionalUUID) { UUID(bytes: $0) }
    }

    /// Returns the text of a `jsonb`, whose first byte is the version of its form.
    package func json(_ row: Int, column: Int) throws(DecodingFailure) -> String? {
        let isJSON = type(ofColumn: column) == .jsonb
        return try checked(row, column: column, as: .optionalString) { bytes in
            isJSON && bytes.first == 1 ? String(decoding: bytes.dropFirst(), as: UTF8.self) : nil
        }
    }

    /// Returns the elements of an array; nil for each that is NULL.
    ///
    /// - Parameter read: Reads the bytes of an element of the given type; nil for bytes of another form.
    func array<Element>(
        _ row: Int, column: Int, of type: PostgresType, read: (UnsafeRawBufferPointer) -> Element?
    ) throws(DecodingFailure) -> [Element?]? {
        let isArray = self.type(ofColumn: column).element == type
        return try checked(row, column: column, as: .custom) {
            isArray ? WireArray.elements($0, of: type, read: read) : nil
        }
    }

    package func int64s(_ row: Int, column: Int) throws(DecodingFailure) -> [Int64?]? {
        try array(row, column: column, of: .int8) { bytes in
            bytes.baseAddress.flatMap { Wire.integer($0, length: Int32(clamping: bytes.count)) }
        }
    }

    package func strings(_ row: Int, column: Int) throws(DecodingFailure) -> [String?]? {
        try array(row, column: column, of: .text) { String(decoding: $0, as: UTF8.self) }
    }

    package func uuids(_ row: Int, column: Int) throws(DecodingFailure) -> [UUID?]? {
        try array(row, column: column, of: .uuid) { UUID(bytes: $0) }
    }

    // MARK: Checks

    private func value<Value>(
        _ row: Int, column: Int, in form: ValueForm, as kind: FieldKind, read: (UnsafeRawBufferPointer) -> Value?
    ) throws(DecodingFailure) -> Value? {
        let fits = self.form(ofColumn: Int32(clamping: column)) == form
        return try checked(row, column: column, as: kind) { fits ? read($0) : nil }
    }

    private func checked<Value>(
        _ row: Int, column: Int, as kind: FieldKind, read: (UnsafeRawBufferPointer) -> Value?
    ) throws(DecodingFailure) -> Value? {
        let (isNull, value) = withBytes(row, column: column) { bytes in (bytes == nil, bytes.flatMap(read)) }
        if value == nil, !isNull {
            throw DecodingFailure(
                column: column, rowID: 0, found: "\(type(ofColumn: column))", expected: kind.expectation, excerpt: "")
        }
        return value
    }
}
#endif
