/// Memory for the bytes of one row while they are bound without a copy by SQLite.
///
/// The blocks never move. Use the arena through `Statement.bind(_:at:in:)` and `Statement.run(emptying:)`.
package final class BindingArena {
    private static let keptBlocks = 4
    private let blockSize: Int
    // Unsafe: overlapping accesses are not checked, because the check would cost time for each string of each row.
    // Only the two methods below access these properties, and they call no closures.
    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var current = 0
    @exclusivity(unchecked) private var used = 0

    package init(blockSize: Int = 256 * 1024) { self.blockSize = max(64, blockSize) }

    deinit { for block in blocks { block.deallocate() } }

    /// Returns a copy that is valid until the arena is emptied, or nil for bytes so long that a copy by SQLite costs
    /// no more.
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let source = bytes.baseAddress, bytes.count <= blockSize / 4 else { return nil }
        if blocks.isEmpty {
            blocks.append(.allocate(byteCount: blockSize, alignment: 16))
        } else if blockSize - used < bytes.count {
            current += 1
            used = 0
            if current == blocks.count { blocks.append(.allocate(byteCount: blockSize, alignment: 16)) }
        }
        // The bytes are at most a quarter of a block, and the block has enough space left.
        let start = blocks[current] + used
        start.copyMemory(from: source, byteCount: bytes.count)
        used += bytes.count
        return UnsafeRawBufferPointer(start: start, count: bytes.count)
    }

    /// Empties the arena. This is only valid if no statement is bound to the bytes.
    func removeAll() {
        current = 0
        used = 0
        // Releases the memory of a row with many long values, which would otherwise be retained.
        while blocks.count > Self.keptBlocks { blocks.removeLast().deallocate() }
    }
}
