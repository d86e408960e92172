/// The rows of a layout in memory, out of which their values are moved.
///
/// Rows are stored in blocks that never move, because a value may refer to its own address.
package final class RowMemory {
    private static var firstBlock: Int { 8 }

    package let layout: RowLayout
    package private(set) var count = 0
    // Each block has as many rows as all blocks before it.
    private var blocks: [UnsafeMutableRawPointer] = []
    /// The number of the row at each position, by the order in which they were added; nil if that is their order.
    private var order: UnsafeMutablePointer<Int32>?

    package init(_ layout: RowLayout) { self.layout = layout }

    deinit {
        defer { order?.deallocate() }
        for row in 0..<count { layout.destroy(self[row]) }
        for block in blocks { block.deallocate() }
    }

    /// The memory of a row. The value is at its start.
    package subscript(row: Int) -> UnsafeMutableRawPointer { addresses[row] }

    /// The addresses of the rows so far, which are valid as long as this memory exists.
    package var addresses: RowAddresses {
        RowAddresses(
            blocks: blocks, first: Self.firstBlock, stride: layout.stride, order: order.map { UnsafePointer($0) })
    }

    /// Returns an integer behind the value of a row, by its offset.
    package func integer(at offset: Int, of row: Int) -> Int64 {
        self[row].load(fromByteOffset: offset, as: Int64.self)
    }

    /// Fills memory for the next rows.
    ///
    /// Unsafe: the closure must initialize as many rows as it returns, from the start on.
    package func append(limit: Int, _ fill: (UnsafeMutableRawPointer, Int) -> Int) {
        let start = blocks.isEmpty ? 0 : Self.firstBlock << (blocks.count - 1)
        if count == start {
            let room = blocks.isEmpty ? Self.firstBlock : start
            blocks.append(.allocate(byteCount: max(1, room * layout.stride), alignment: layout.alignment))
        }
        let end = Self.firstBlock << (blocks.count - 1)
        count += fill(self[count], min(limit, end - count))
    }

    /// Sorts the rows by an integer behind their values, once. No rows can be added afterwards.
    ///
    /// Complexity: O(*n*) if they have this order already.
    package func sort(byIntegerAt offset: Int) {
        guard order == nil else { return }
        let rows = addresses
        let keys = (0..<count).map { rows[$0].load(fromByteOffset: offset, as: Int64.self) }
        guard zip(keys, keys.dropFirst()).contains(where: { $0 > $1 }) else { return }
        let sorted = (0..<Int32(count)).sorted { keys[Int($0)] < keys[Int($1)] }
        let memory = UnsafeMutablePointer<Int32>.allocate(capacity: count)
        memory.initialize(from: sorted, count: count)
        order = memory
    }

    /// Declares that the values of all rows were moved out of their memory, or deinitialized.
    package func forgetValues() { count = 0 }
}

/// The addresses of rows in memory.
///
/// Unsafe: they must not be used after the memory.
package struct RowAddresses {
    private let blocks: [UnsafeMutableRawPointer]
    /// The number of rows in the first block.
    private let first: Int
    private let stride: Int
    /// The number of the row at each position; nil if it is the position. A pointer, because these addresses are copied often.
    private let order: UnsafePointer<Int32>?

    fileprivate init(blocks: [UnsafeMutableRawPointer], first: Int, stride: Int, order: UnsafePointer<Int32>?) {
        (self.blocks, self.first, self.stride, self.order) = (blocks, first, stride, order)
    }

    package subscript(position: Int) -> UnsafeMutableRawPointer {
        var row = position
        if let order { row = Int(order[position]) }
        guard row >= first else { return blocks[0] + row * stride }
        let block = Int.bitWidth - (row / first).leadingZeroBitCount
        return blocks[block] + (row - first << (block - 1)) * stride
    }
}
