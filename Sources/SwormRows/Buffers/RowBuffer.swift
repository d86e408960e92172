import Foundation

/// The rows of one fetch: typed cells of eight bytes, followed by the packed bytes of strings and blobs.
///
/// `@unchecked Sendable`: nothing changes after initialization, and the memory belongs to this object alone.
@usableFromInline
package final class RowBuffer: @unchecked Sendable {
    /// The number of rows.
    @usableFromInline package let count: Int
    /// The number of cells in a row.
    @usableFromInline package let stride: Int
    @usableFromInline let payloads: UnsafePointer<UInt64>
    @usableFromInline let tags: UnsafePointer<UInt8>
    @usableFromInline let bytes: UnsafeRawPointer
    /// The number of bytes of all strings and blobs.
    package let byteCount: Int

    /// Takes ownership of memory from `Block` with exactly these sizes, each at least 1.
    package init(
        count: Int, stride: Int, payloads: UnsafePointer<UInt64>, tags: UnsafePointer<UInt8>, bytes: UnsafeRawPointer,
        byteCount: Int
    ) {
        self.count = count
        self.stride = stride
        self.payloads = payloads
        self.tags = tags
        self.bytes = bytes
        self.byteCount = byteCount
    }

    deinit {
        let cells = max(1, count * stride)
        Block.free(UnsafeMutablePointer(mutating: payloads), size: cells * MemoryLayout<UInt64>.size)
        Block.free(UnsafeMutablePointer(mutating: tags), size: cells)
        Block.free(UnsafeMutableRawPointer(mutating: bytes), size: max(1, byteCount))
    }

    /// The size of the buffer in memory, in bytes.
    var memorySize: Int { count * stride * 9 + byteCount }

    @inlinable
    package func tag(row: Int, cell: Int) -> StorageClass {
        StorageClass(rawValue: tags[index(row: row, cell: cell)]) ?? .null
    }

    @inlinable
    package func isNull(row: Int, cell: Int) -> Bool {
        tags[index(row: row, cell: cell)] == StorageClass.null.rawValue
    }

    /// Returns the integer, or 0 if the cell holds none.
    @inlinable
    package func int64(row: Int, cell: Int) -> Int64 {
        let index = index(row: row, cell: cell)
        return tags[index] == StorageClass.integer.rawValue ? Int64(bitPattern: payloads[index]) : 0
    }

    /// Returns the number, converted from an integer if necessary, or 0 if the cell holds none.
    @inlinable
    package func double(row: Int, cell: Int) -> Double {
        let index = index(row: row, cell: cell)
        if tags[index] == StorageClass.real.rawValue { return Double(bitPattern: payloads[index]) }
        return tags[index] == StorageClass.integer.rawValue ? Double(Int64(bitPattern: payloads[index])) : 0
    }

    @inlinable
    func index(row: Int, cell: Int) -> Int {
        // Not checked in release builds, because every access to a cell of an object calls this function. Rows were
        // counted by a fetch, and cells were laid out by its plan; neither comes from outside.
        assert(row >= 0 && row < count && cell >= 0 && cell < stride)
        return row &* stride &+ cell
    }
}
