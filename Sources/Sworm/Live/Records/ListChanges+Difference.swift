extension ListChanges {
    /// Creates the differences between two lists.
    ///
    /// - Parameters:
    ///   - old: The length of the old list.
    ///   - oldID: The identity at an offset of the old list, each of which occurs once.
    ///   - new: The length of the new list.
    ///   - newID: The identity at an offset of the new list, each of which occurs once.
    ///   - isSame: A closure that returns whether the object at an offset of the old list has the same values as the one
    ///     at an offset of the new list. It is called for objects that are in both lists.
    ///   - staysInSection: A closure that returns whether an object at these offsets is in the same section; nil if there
    ///     are no sections. An object that changes its section is moved, even if its offset is the same.
    /// - Complexity: O(*n*) if the lists differ in a short part, else O(*n* log *n*).
    init<ID: Hashable>(
        from old: Int, _ oldID: (Int) -> ID, to new: Int, _ newID: (Int) -> ID,
        isSame: (_ old: Int, _ new: Int) -> Bool, staysInSection: ((_ old: Int, _ new: Int) -> Bool)? = nil
    ) {
        // Most changes concern a few rows, so the common head and tail are compared first, without a dictionary.
        var start = 0
        while start < old, start < new, oldID(start) == newID(start), staysInSection?(start, start) ?? true {
            if !isSame(start, start) { updated.append(start) }
            start += 1
        }
        var (oldEnd, newEnd) = (old, new)
        var tail: [Int] = []
        while oldEnd > start, newEnd > start, oldID(oldEnd - 1) == newID(newEnd - 1),
            staysInSection?(oldEnd - 1, newEnd - 1) ?? true
        {
            oldEnd -= 1
            newEnd -= 1
            if !isSame(oldEnd, newEnd) { tail.append(newEnd) }
        }
        if start < oldEnd || start < newEnd {
            var offsets: [ID: Int] = [:]
            offsets.reserveCapacity(oldEnd - start)
            for offset in start..<oldEnd { offsets[oldID(offset)] = offset }
            var kept: [(old: Int, new: Int)] = []
            for offset in start..<newEnd {
                guard let source = offsets.removeValue(forKey: newID(offset)) else {
                    inserted.append(offset)
                    continue
                }
                if staysInSection?(source, offset) ?? true {
                    kept.append((source, offset))
                } else {
                    moved.append(Move(from: source, to: offset))
                }
                if !isSame(source, offset) { updated.append(offset) }
            }
            removed = offsets.values.sorted()
            let isSectioned = !moved.isEmpty
            moved += Self.moves(of: kept)
            if isSectioned { moved.sort { $0.to < $1.to } }
        }
        updated += tail.reversed()
    }

    /// Returns the fewest moves for the objects that are in both lists, which are in the order of the new list.
    ///
    /// The objects of a longest run whose old offsets increase stay where they are, so that the other ones have to move.
    private static func moves(of kept: [(old: Int, new: Int)]) -> [Move] {
        // The index of the last element of the best run of each length, and the element before each element.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: kept.count)
        for (index, pair) in kept.enumerated() {
            // Most elements continue the longest run.
            var length = ends.count
            if let last = ends.last, kept[last].old > pair.old {
                var low = 0
                while low < length {
                    let middle = (low + length) / 2
                    if kept[ends[middle]].old < pair.old { low = middle + 1 } else { length = middle }
                }
                length = low
            }
            if length > 0 { previous[index] = ends[length - 1] }
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        if ends.count == kept.count { return [] }
        var stays = [Bool](repeating: false, count: kept.count)
        var next = ends.last ?? -1
        while next >= 0 {
            stays[next] = true
            next = previous[next]
        }
        return kept.indices.filter { !stays[$0] }.map { Move(from: kept[$0].old, to: kept[$0].new) }
    }
}
