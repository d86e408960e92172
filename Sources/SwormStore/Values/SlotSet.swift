/// A small set of slot numbers: the first 64 in one word, the rest in an array.
@frozen @usableFromInline
package struct SlotSet: Sendable, Hashable {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: [UInt64] = []

    @inlinable
    package init() {}

    @inlinable
    package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inlinable
    package func contains(_ slot: Int) -> Bool {
        if slot < 64 { return low & (1 << UInt64(slot)) != 0 }
        let word = slot / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(slot % 64)) != 0
    }

    @inlinable
    package mutating func insert(_ slot: Int) {
        if slot < 64 {
            low |= 1 << UInt64(slot)
            return
        }
        let word = slot / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(slot % 64)
    }

    @inlinable
    package mutating func remove(_ slot: Int) {
        if slot < 64 {
            low &= ~(1 << UInt64(slot))
            return
        }
        let word = slot / 64 - 1
        if word < high.count { high[word] &= ~(1 << UInt64(slot % 64)) }
    }

    @inlinable
    package mutating func removeAll() {
        low = 0
        high = []
    }

    /// Returns the number of slots in the set that precede the given one.
    @inlinable
    package func count(below slot: Int) -> Int {
        let last = slot / 64
        var count = (word(last) & (1 << UInt64(slot % 64) &- 1)).nonzeroBitCount
        for index in 0..<last { count += word(index).nonzeroBitCount }
        return count
    }

    /// Returns the first slot of the set that is not below the given one, or nil if no such slot exists.
    @inlinable
    package func first(from slot: Int) -> Int? {
        var index = slot / 64
        var bits = word(index) & ~0 << UInt64(slot % 64)
        while bits == 0 {
            index += 1
            guard index <= high.count else { return nil }
            bits = word(index)
        }
        return index * 64 + bits.trailingZeroBitCount
    }

    @inlinable
    func word(_ index: Int) -> UInt64 {
        if index == 0 { return low }
        return index <= high.count ? high[index - 1] : 0
    }

    /// Calls a closure with every slot, in ascending order.
    @inlinable
    package func forEach(_ body: (Int) throws -> Void) rethrows {
        var word = low
        while word != 0 {
            try body(word.trailingZeroBitCount)
            word &= word - 1
        }
        for (index, bits) in high.enumerated() {
            var word = bits
            while word != 0 {
                try body((index + 1) * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }
}
