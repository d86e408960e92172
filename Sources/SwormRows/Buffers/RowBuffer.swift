import Foundation

/// The rows of one fetch: typed cells of eight bytes, and the bytes of texts and blobs packed behind them.
///
/// `@unchecked Sendable`: nothing changes after the initialiser, and the memory belongs to this object alone.
package final class RowBuffer: @unchecked Sendable {
    /// The number of rows.
    package let count: Int
    /// The number of cells in a row.
    package let stride: Int
    @usableFromInline let payloads: UnsafePointer<UInt64>
    @usableFromInline let tags: UnsafePointer<UInt8>
    @usableFromInline let bytes: UnsafeRawPointer
    /// The bytes of all texts and blobs.
    package let byteCount: Int

    /// Takes over memory of exactly these sizes, each at least 1, from `Block`.
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

    /// The bytes that the buffer holds in memory.
    package var memorySize: Int { count * stride * 9 + byteCount }

    @inlinable
    package func tag(_ row: Int, _ cell: Int) -> StorageClass {
        StorageClass(rawValue: tags[index(row, cell)]) ?? .null
    }

    @inlinable
    package func isNull(_ row: Int, _ cell: Int) -> Bool {
        tags[index(row, cell)] == StorageClass.null.rawValue
    }

    /// The integer; 0 where the cell holds none.
    @inlinable
    package func int64(_ row: Int, _ cell: Int) -> Int64 {
        let index = index(row, cell)
        return tags[index] == StorageClass.integer.rawValue ? Int64(bitPattern: payloads[index]) : 0
    }

    /// The number, an integer widened; 0 where the cell holds none.
    @inlinable
    package func double(_ row: Int, _ cell: Int) -> Double {
        let index = index(row, cell)
        if tags[index] == StorageClass.real.rawValue { return Double(bitPattern: payloads[index]) }
        return tags[index] == StorageClass.integer.rawValue ? Double(Int64(bitPattern: payloads[index])) : 0
    }

    @inlinable
    func index(_ row: Int, _ cell: Int) -> Int {
        // Not checked in a release: every cell of every object goes through here. Rows are those that a fetch counted, and
        // cells those that its plan laid out; neither comes from outside.
        assert(row >= 0 && row < count && cell >= 0 && cell < stride)
        return row &* stride &+ cell
    }
}
