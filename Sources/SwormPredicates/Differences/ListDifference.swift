/// The differences between two lists of objects, with the fewest moves.
///
/// Objects are compared by their identities, each of which occurs once in a list.
package struct ListDifference {
    /// The offsets of an object that is in both lists.
    package struct Pair: Equatable {
        package var old: Int
        package var new: Int

        @inlinable
        package init(old: Int, new: Int) {
            self.old = old
            self.new = new
        }
    }

    /// The offsets of the removed objects in the old list, in ascending order.
    package var removed: [Int] = []
    /// The offsets of the inserted objects in the new list, in ascending order.
    package var inserted: [Int] = []
    /// The moved objects, in ascending order of their new offsets.
    package var moved: [Pair] = []
    /// The objects with other values, in ascending order of their new offsets.
    package var updated: [Pair] = []

    /// Creates the differences between two lists.
    ///
    /// - Parameters:
    ///   - old: The length of the old list.
    ///   - oldID: The identity at an offset of the old list.
    ///   - new: The length of the new list.
    ///   - newID: The identity at an offset of the new list.
    ///   - canStay: A closure that returns whether an object may keep its position between the other ones. Objects for
    ///     which it returns false are moved.
    ///   - isSame: A closure that returns whether an object has the same values in both lists.
    /// - Complexity: O(*n*) if the lists differ in a short part, else O(*n* log *n*).
    @inlinable
    package init<ID: Hashable>(
        from old: Int, _ oldID: (Int) -> ID, to new: Int, _ newID: (Int) -> ID,
        canStay: (_ old: Int, _ new: Int) -> Bool = { _, _ in true },
        isSame: (_ old: Int, _ new: Int) -> Bool
    ) {
        // Most changes concern a few objects, so the common head and tail are compared first, without a dictionary.
        var start = 0
        while start < old, start < new, oldID(start) == newID(start), canStay(start, start) {
            if !isSame(start, start) { updated.append(Pair(old: start, new: start)) }
            start += 1
        }
        var (oldEnd, newEnd) = (old, new)
        var tail: [Pair] = []
        while oldEnd > start, newEnd > start, oldID(oldEnd - 1) == newID(newEnd - 1), canStay(oldEnd - 1, newEnd - 1) {
            oldEnd -= 1
            newEnd -= 1
            if !isSame(oldEnd, newEnd) { tail.append(Pair(old: oldEnd, new: newEnd)) }
        }
        if start < oldEnd || start < newEnd {
            let sources: [Int]
            (sources, removed) = Self.sources(of: start..<newEnd, newID, in: start..<oldEnd, oldID)
            var kept: [Pair] = []
            var candidates: [Pair] = []
            kept.reserveCapacity(sources.count)
            candidates.reserveCapacity(sources.count)
            for (index, source) in sources.enumerated() {
                let pair = Pair(old: source, new: start + index)
                guard source >= 0 else {
                    inserted.append(pair.new)
                    continue
                }
                kept.append(pair)
                if canStay(pair.old, pair.new) { candidates.append(pair) }
                if !isSame(pair.old, pair.new) { updated.append(pair) }
            }
            moved = Self.moves(of: kept, candidates)
        }
        updated += tail.reversed()
    }

    /// Returns the offsets at which the objects of a part of the new list are in the old one, or -1 for inserted
    /// objects, and the offsets of the removed objects.
    ///
    /// The lists are compared side by side. An object that only one of them has next is skipped, and only skipped
    /// objects need a dictionary.
    @inlinable
    package static func sources<ID: Hashable>(
        of new: Range<Int>, _ newID: (Int) -> ID, in old: Range<Int>, _ oldID: (Int) -> ID
    ) -> (sources: [Int], removed: [Int]) {
        var sources = [Int](repeating: -1, count: new.count)
        var skippedOld: [Int] = []
        var skippedNew: [Int] = []
        var (source, target) = (old.lowerBound, new.lowerBound)
        while source < old.upperBound, target < new.upperBound {
            if oldID(source) == newID(target) {
                sources[target - new.lowerBound] = source
                source += 1
                target += 1
            } else if source + 1 < old.upperBound, oldID(source + 1) == newID(target) {
                skippedOld.append(source)
                source += 1
            } else if target + 1 < new.upperBound, oldID(source) == newID(target + 1) {
                skippedNew.append(target)
                target += 1
            } else {
                skippedOld.append(source)
                skippedNew.append(target)
                source += 1
                target += 1
            }
        }
        skippedOld.append(contentsOf: source..<old.upperBound)
        skippedNew.append(contentsOf: target..<new.upperBound)
        var offsets: [ID: Int] = [:]
        offsets.reserveCapacity(skippedOld.count)
        for offset in skippedOld { offsets[oldID(offset)] = offset }
        for offset in skippedNew {
            if let source = offsets.removeValue(forKey: newID(offset)) { sources[offset - new.lowerBound] = source }
        }
        return (sources, offsets.values.sorted())
    }

    /// Returns the fewest moves for the objects that are in both lists.
    ///
    /// The objects of a longest run whose old offsets increase stay in their order, so that the other ones have to
    /// move.
    ///
    /// - Parameters:
    ///   - kept: The objects in the order of the new list.
    ///   - candidates: Those of them that may stay.
    @usableFromInline
    package static func moves(of kept: [Pair], _ candidates: [Pair]) -> [Pair] {
        // The index of the last element of the best run of each length, and the element before each element.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: candidates.count)
        for (index, pair) in candidates.enumerated() {
            // Most elements continue the longest run.
            var length = ends.count
            if let last = ends.last, candidates[last].old > pair.old {
                var low = 0
                while low < length {
                    let middle = (low + length) / 2
                    if candidates[ends[middle]].old < pair.old { low = middle + 1 } else { length = middle }
                }
                length = low
            }
            if length > 0 { previous[index] = ends[length - 1] }
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        if ends.count == kept.count { return [] }
        var stays: [Pair] = []
        stays.reserveCapacity(ends.count)
        var next = ends.last ?? -1
        while next >= 0 {
            stays.append(candidates[next])
            next = previous[next]
        }
        // Both lists are in the order of the new offsets, the second one in reverse.
        return kept.filter { pair in
            if stays.last == pair {
                stays.removeLast()
                return false
            }
            return true
        }
    }
}
