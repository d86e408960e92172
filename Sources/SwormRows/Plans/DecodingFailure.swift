/// The error for a stored value that its column should not hold. The caller knows the names of the entity and the
/// attribute.
package struct DecodingFailure: Error, Sendable, Hashable {
    package let column: Int
    /// The value of the row's first column, read as an integer.
    package var rowID: Int64
    package let found: String
    package let expected: String
    /// The start of the value; empty for NULL.
    package let excerpt: String

    package init(column: Int, rowID: Int64, found: String, expected: String, excerpt: String) {
        self.column = column
        self.rowID = rowID
        self.found = found
        self.expected = expected
        self.excerpt = excerpt
    }
}

/// The error for external binary data that could not be read.
package struct ExternalDataFailure: Error {
    package let column: Int
    /// The value of the row's first column, read as an integer.
    package let rowID: Int64
    package let cause: any Error

    package init(column: Int, rowID: Int64, cause: any Error) {
        self.column = column
        self.rowID = rowID
        self.cause = cause
    }
}

extension DecodingFailure: CustomStringConvertible {
    package var description: String {
        let value = excerpt.isEmpty ? "" : " (\(excerpt))"
        return "column \(column) of row \(rowID): found \(found)\(value), expected \(expected)"
    }
}

extension DecodingFailure {
    private static let excerptLength = 40

    /// Creates the error for the value of a column. The reader of the row sets its ``rowID``, which a view does not
    /// know.
    ///
    /// Not inlined, because this path is rare.
    @inline(never)
    package init(_ view: borrowing ColumnView, rowID: Int64 = 0, expected: String) {
        var found = view.type.name
        var excerpt = ""
        switch view.type {
        case .null: break
        case .integer: excerpt = String(Int64(bitPattern: view.bits))
        case .real: excerpt = String(Double(bitPattern: view.bits))
        case .text:
            let bytes = view.bytes
            if bytes.baseAddress != nil {
                if !UTF8Check.isValid(bytes) { found = "text that is not valid UTF-8" }
                // A character uses only a few bytes. A character that is cut appears as a replacement character.
                let text = String(decoding: bytes.prefix(Self.excerptLength * 4), as: UTF8.self)
                excerpt = String(text.prefix(Self.excerptLength))
                if bytes.count > excerpt.utf8.count { excerpt += "…" }
            }
        case .blob:
            let bytes = view.bytes
            found = bytes.count == 1 ? "blob of 1 byte" : "blob of \(bytes.count) bytes"
            excerpt = bytes.prefix(Self.excerptLength / 2).map { Self.hex($0) }.joined()
            if bytes.count > Self.excerptLength / 2 { excerpt += "…" }
        }
        self.init(column: Int(view.column), rowID: rowID, found: found, expected: expected, excerpt: excerpt)
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
