/// The transactions that were added to the history of a store.
struct WrittenHistory: Sendable {
    /// The numbers of the transactions, in ascending order.
    private(set) var numbers: [Int64] = []
    /// The number of changes in all of them, each of one object.
    private(set) var changes = 0

    mutating func add(_ number: Int64, changes count: Int) {
        numbers.append(number)
        changes += count
    }

    mutating func append(_ other: WrittenHistory) {
        numbers += other.numbers
        changes += other.changes
    }
}
