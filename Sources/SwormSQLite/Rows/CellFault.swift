import CSwormSQLite

/// A stored value that does not fit what its column should hold. The caller knows the names of entity and attribute.
package struct CellFault: Error, Sendable, Hashable {
    package let column: Int
    /// The value of the row's first column, read as an integer.
    package let rowID: Int64
    package let found: String
    package let expected: String
    /// The beginning of the value; empty for NULL.
    package let excerpt: String

    package init(column: Int, rowID: Int64, found: String, expected: String, excerpt: String) {
        self.column = column
        self.rowID = rowID
        self.found = found
        self.expected = expected
        self.excerpt = excerpt
    }
}

/// Binary data that does not lie in its column and could not be read from where it does.
package struct ExternalFault: Error {
    package let column: Int
    /// The value of the row's first column, read as an integer.
    package let rowID: Int64
    package let cause: any Error
}

extension CellFault: CustomStringConvertible {
    package var description: String {
        let value = excerpt.isEmpty ? "" : " (\(excerpt))"
        return "column \(column) of row \(rowID): found \(found)\(value), expected \(expected)"
    }
}

extension CellFault {
    private static let excerptLength = 40

    /// Looks at the value again to say what is wrong with it. It is the rare path: nothing here need be quick.
    @inline(never)
    init(statement: OpaquePointer, column: Int32, expected: String) {
        // Unprotected, as in every read of a row.
        let value = sqlite3_column_value(statement, column)
        let type = StorageClass(code: sqlite3_value_type(value))
        var found = type.name
        var excerpt = ""
        switch type {
        case .null: break
        case .integer: excerpt = String(sqlite3_value_int64(value))
        case .real: excerpt = String(sqlite3_value_double(value))
        case .text:
            if let start = sqlite3_value_text(value) {
                let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
                if !UTF8Check.isValid(bytes) { found = "text that is not valid UTF-8" }
                // A character takes at most a handful of bytes; a cut through one shows as a replacement mark.
                let text = String(decoding: bytes.prefix(Self.excerptLength * 4), as: UTF8.self)
                excerpt = String(text.prefix(Self.excerptLength))
                if bytes.count > excerpt.utf8.count { excerpt += "…" }
            }
        case .blob:
            let count = Int(sqlite3_value_bytes(value))
            found = count == 1 ? "blob of 1 byte" : "blob of \(count) bytes"
            if let start = sqlite3_value_blob(value) {
                let bytes = UnsafeRawBufferPointer(start: start, count: count)
                excerpt = bytes.prefix(Self.excerptLength / 2).map { Self.hex($0) }.joined()
                if bytes.count > Self.excerptLength / 2 { excerpt += "…" }
            }
        }
        self.init(
            column: Int(column), rowID: sqlite3_column_int64(statement, 0), found: found, expected: expected,
            excerpt: excerpt)
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
