/// The sparse keys with which a store records the order of a relationship.
///
/// Appended objects get the keys 2048, 3072, 4096 and so on. An object inserted between two existing ones gets a key
/// between theirs.
package enum OrderKeys {
    package static let first: Int64 = 2048
    package static let step: Int64 = 1024

    /// Returns the key of an object that is appended after the given last key.
    static func next(after last: Int64?) -> Int64 {
        guard let last else { return first }
        let (key, overflow) = last.addingReportingOverflow(step)
        return overflow ? Int64.max : max(key, first)
    }

    /// Returns the keys for objects in their new order, given their current keys, which are nil for objects without a
    /// key.
    ///
    /// As few keys as possible change. If there is no space left between two neighbors, all keys are assigned again.
    package static func arranged(_ current: [Int64?]) -> [Int64] {
        guard !current.isEmpty else { return [] }
        let kept = longestRise(current)
        var result: [Int64] = []
        result.reserveCapacity(current.count)
        var previous: Int64? = nil
        var position = 0
        for index in kept + [current.count] {
            let missing = index - position
            let upper = index < current.count ? current[index] : nil
            if missing > 0 {
                guard let keys = keys(count: missing, after: previous, before: upper) else {
                    return (0..<current.count).map { first + Int64($0) * step }
                }
                result += keys
            }
            if let upper {
                result.append(upper)
                previous = upper
            }
            position = index + 1
        }
        return result
    }

    /// Returns new order keys for members of a list in which several have the same one, because other contexts have used
    /// keys since a save was requested.
    ///
    /// Members that are already in the store keep their position. A member of the save is moved behind the member that has
    /// its key.
    ///
    /// - Parameters:
    ///   - members: All members with their order keys.
    ///   - written: The keys of the members whose positions come from the save.
    /// - Returns: The members whose order keys change.
    static func separated(
        _ members: [(key: Int64, order: Int64)], moving written: Set<Int64>
    ) -> [(key: Int64, order: Int64)] {
        let members = members.sorted { first, second in
            if first.order != second.order { return first.order < second.order }
            let (isFirstWritten, isSecondWritten) = (written.contains(first.key), written.contains(second.key))
            return isFirstWritten == isSecondWritten ? first.key < second.key : isSecondWritten
        }
        let present = members.indices.map { index -> Int64? in
            index == 0 || members[index - 1].order != members[index].order ? members[index].order : nil
        }
        return zip(members, arranged(present)).compactMap { member, order in
            member.order == order ? nil : (member.key, order)
        }
    }

    private static func keys(count: Int, after lower: Int64?, before upper: Int64?) -> [Int64]? {
        guard let upper else {
            let start = lower.map { max($0, first - step) } ?? first - step
            let (room, overflow) = Int64(count).multipliedReportingOverflow(by: step)
            guard !overflow, !start.addingReportingOverflow(room).overflow else { return nil }
            return (1...count).map { start + Int64($0) * step }
        }
        let start = lower ?? 0
        let (distance, overflow) = upper.subtractingReportingOverflow(start)
        guard !overflow, distance > Int64(count) else { return nil }
        let parts = Int64(count) + 1
        return (1...count).map { index in
            // The quotient and the remainder are multiplied separately, so that no product overflows.
            start + distance / parts * Int64(index) + distance % parts * Int64(index) / parts
        }
    }

    /// Returns the indexes of the longest strictly increasing subsequence of keys.
    private static func longestRise(_ keys: [Int64?]) -> [Int] {
        var tails: [Int] = []
        var before = [Int](repeating: -1, count: keys.count)
        for (index, key) in keys.enumerated() {
            guard let key else { continue }
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if let tail = keys[tails[middle]], tail < key { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? tails[low - 1] : -1
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var run: [Int] = []
        var index = tails.last ?? -1
        while index >= 0 {
            run.append(index)
            index = before[index]
        }
        return run.reversed()
    }
}
