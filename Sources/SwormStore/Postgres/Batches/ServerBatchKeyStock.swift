#if PostgreSQL
/// Primary keys for rows of a batch, whose number is not known in advance.
struct ServerBatchKeyStock {
    /// The largest number of keys that are drawn although they may not be needed.
    private static let longestGuess = 8192

    private let root: Int
    /// The number of rows that are expected at least.
    private let expectedCount: Int
    private var free: [Range<Int64>] = []
    /// All keys that no other row can have.
    private var drawn: [Range<Int64>] = []
    private var usedCount = 0
    /// The number of keys that are not used yet.
    private(set) var count = 0
    /// The keys that are assigned to rows, in the order of the rows.
    private(set) var used: [Range<Int64>] = []

    init(root: Int, expecting count: Int) {
        self.root = root
        expectedCount = count
    }

    /// Returns whether a key belongs to a row of the batch.
    func isOwn(_ key: Int64) -> Bool { drawn.contains { $0.contains(key) } }

    /// Ensures that there are keys for the given number of rows.
    mutating func require(_ needed: Int, in work: ServerBatch) throws {
        guard needed > count else { return }
        let total = max(needed, expectedCount - usedCount, min(usedCount, Self.longestGuess))
        let keys = try work.write.store.keys(total - count, root: root, on: work.connection)
        free += keys
        drawn += keys
        count = total
    }

    /// Returns the next consecutive keys, at most as many as the given number, and at least one if there are any.
    func next(upTo count: Int) -> Range<Int64> {
        guard let first = free.first else { return 0..<0 }
        return first.lowerBound..<first.lowerBound + min(Int64(count), Int64(first.count))
    }

    /// Notes that the first of the next keys are assigned to rows.
    mutating func use(_ count: Int) {
        guard count > 0, let first = free.first else { return }
        let end = first.lowerBound + Int64(count)
        if end == first.upperBound { free.removeFirst() } else { free[0] = end..<first.upperBound }
        self.count -= count
        usedCount += count
        if let last = used.last, last.upperBound == first.lowerBound {
            used[used.count - 1] = last.lowerBound..<end
        } else {
            used.append(first.lowerBound..<end)
        }
    }

    /// Takes the next keys, which are not assigned to rows yet.
    mutating func take(_ count: Int) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        var missing = count
        while missing > 0 {
            let range = next(upTo: missing)
            guard let first = free.first, !range.isEmpty else { break }
            if range.upperBound == first.upperBound {
                free.removeFirst()
            } else {
                free[0] = range.upperBound..<first.upperBound
            }
            self.count -= range.count
            missing -= range.count
            result.append(range)
        }
        return result
    }

    /// Notes that a key that was taken is assigned to a row.
    mutating func use(key: Int64) {
        usedCount += 1
        if let last = used.last, last.upperBound == key {
            used[used.count - 1] = last.lowerBound..<key + 1
        } else {
            used.append(key..<key + 1)
        }
    }
}
#endif
