package import SwormRows

/// The rows of a projection, one after the other.
///
/// A row is not kept after the next one is read, so a reader takes the same memory for a million rows as for one. The session
/// stays open as long as the cursor lives. Columns count from 0.
package protocol ProjectionCursor: AnyObject {
    /// The content of the columns, in their order; an object takes two of them.
    var columns: [ProjectedColumn] { get }

    /// Advances to the next row. Returns false after the last one.
    ///
    /// - Throws: ``CoreDataError`` where the store cannot be read, or was changed while it was being read.
    func next() throws -> Bool

    func type(_ column: Int) -> StorageClass
    /// The value as an integer, converted as SQLite does.
    func int64(_ column: Int) -> Int64
    /// The value as a number, converted as SQLite does.
    func double(_ column: Int) -> Double
    /// The bytes of the value as text, nil for NULL; valid until the next call.
    func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>?
    /// The bytes of the value as a blob, nil for NULL; valid until the next call.
    func blobBytes(_ column: Int) -> UnsafeRawBufferPointer?
}

extension ProjectionCursor {
    package func isNull(_ column: Int) -> Bool { type(column) == .null }

    /// The value as a string, nil for NULL. Bytes that are not valid UTF-8 come as replacement characters.
    package func text(_ column: Int) -> String? { textBytes(column).map { String(decoding: $0, as: UTF8.self) } }

    package func withText<R>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>?) throws -> R) rethrows -> R {
        try body(textBytes(column))
    }

    package func withBlob<R>(_ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
        try body(blobBytes(column))
    }
}
