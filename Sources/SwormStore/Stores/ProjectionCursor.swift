package import SwormRows

/// A cursor over the rows of a projection.
///
/// A row is not retained after the next one is read, so the memory use does not depend on the number of rows. The
/// session stays open as long as the cursor exists. Columns are numbered from 0.
package protocol ProjectionCursor: AnyObject {
    /// The contents of the columns, in their order. An object has two columns.
    var columns: [ProjectedColumn] { get }

    /// Advances to the next row, and returns false after the last row.
    ///
    /// - Throws: ``CoreDataError`` if the store cannot be read, or was changed while it was being read.
    func next() throws -> Bool

    func type(_ column: Int) -> StorageClass
    /// Returns the value as an integer, converted by SQLite's rules.
    func int64(_ column: Int) -> Int64
    /// Returns the value as a floating-point number, converted by SQLite's rules.
    func double(_ column: Int) -> Double
    /// Returns the bytes of the value as text, or nil for NULL. They are valid until the next call.
    func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>?
    /// Returns the bytes of the value as a blob, or nil for NULL. They are valid until the next call.
    func blobBytes(_ column: Int) -> UnsafeRawBufferPointer?
}

extension ProjectionCursor {
    package func isNull(_ column: Int) -> Bool { type(column) == .null }

    /// Returns the value as a string, or nil for NULL. Invalid UTF-8 is replaced by replacement characters.
    package func text(_ column: Int) -> String? { textBytes(column).map { String(decoding: $0, as: UTF8.self) } }

    package func withText<R>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>?) throws -> R) rethrows -> R {
        try body(textBytes(column))
    }

    package func withBlob<R>(_ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
        try body(blobBytes(column))
    }
}
