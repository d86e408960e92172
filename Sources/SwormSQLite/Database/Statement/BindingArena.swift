/// Memory for the bytes of one row while they are bound without a copy by SQLite.
///
/// The blocks never move. Use it through `Statement.bind(_:at:in:)` and `Statement.run(emptying:)`.
package final class BindingArena {
    private static let keptBlocks = 4
    private let blockSize: Int
    // Unsafe: accesses are not checked for overlaps, as each text of each row would pay for it. There is none: only the two
    // methods below touch these, and they call nobody.
    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var current = 0
    @exclusivity(unchecked) private var used = 0

    package init(blockSize: Int = 256 * 1024) { self.blockSize = max(64, blockSize) }

    deinit { for block in blocks { block.deallocate() } }

    /// A copy that stays until the arena is emptied, or nil for bytes so long that a copy by SQLite costs no more.
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let source = bytes.baseAddress, bytes.count <= blockSize / 4 else { return nil }
        if blocks.isEmpty {
            blocks.append(.allocate(byteCount: blockSize, alignment: 16))
        } else if blockSize - used < bytes.count {
            current += 1
            used = 0
            if current == blocks.count { blocks.append(.allocate(byteCount: blockSize, alignment: 16)) }
        }
        // No more than a quarter of a block, and the block has that much left.
        let start = blocks[current] + used
        start.copyMemory(from: source, byteCount: bytes.count)
        used += bytes.count
        return UnsafeRawBufferPointer(start: start, count: bytes.count)
    }

    /// Only right when no statement is bound to the bytes any more.
    func removeAll() {
        current = 0
        used = 0
        // One row of many long values must not hold its memory for ever.
        while blocks.count > Self.keptBlocks { blocks.removeLast().deallocate() }
    }
}
