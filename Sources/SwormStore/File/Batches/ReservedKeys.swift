/// Primary keys for rows whose number is not known in advance.
struct ReservedKeys {
    let root: Int
    private(set) var next: Int64 = 1
    private var end: Int64 = 1
    private var first: Int64 = 1
    private var ranges: [Range<Int64>] = []

    init(root: Int) { self.root = root }

    /// The keys that are assigned to rows.
    var used: [Range<Int64>] { first < next ? ranges + [first..<next] : ranges }

    func isUsed(_ key: Int64) -> Bool { used.contains { $0.contains(key) } }

    /// Ensures that there are keys for the given number of rows.
    mutating func require(_ count: Int, in transaction: SaveTransaction) throws {
        let missing = count - Int(end - next)
        guard missing > 0 else { return }
        let reserved = max(missing, 1024)
        let start = try SaveTransaction.reserve(
            reserved, root: root, model: transaction.model, table: transaction.columns[root - 1].table,
            connection: transaction.connection)
        if start != end {
            // Other rows were inserted in between, so the remaining keys are not used.
            ranges = used
            (first, next) = (start, start)
        }
        end = start + Int64(reserved)
        if next + Int64(count) > end { try require(count, in: transaction) }
    }

    mutating func use() { next += 1 }

    /// Returns the unused keys, so that they are the next ones again.
    func giveBack(_ transaction: SaveTransaction) throws {
        guard next < end else { return }
        try SaveTransaction.record(next - 1, root: root, model: transaction.model, connection: transaction.connection)
    }
}
