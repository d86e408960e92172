/// The different keys of a list of rows, sorted, and the index of each row's key among them.
struct KeyList {
    /// The keys, sorted and different. Zero, the key of a missing object, is not among them.
    let keys: [Int64]
    /// The index of each row's key; -1 for a missing object. Nil if the rows have these keys in this order.
    private let indices: [Int32]?

    init(_ rows: [Int64]) {
        if rows.first ?? 1 > 0, zip(rows, rows.dropFirst()).allSatisfy({ $0 < $1 }) {
            keys = rows
            indices = nil
            return
        }
        let order = rows.indices.sorted { rows[$0] < rows[$1] }
        var keys: [Int64] = []
        var indices = [Int32](repeating: -1, count: rows.count)
        for row in order where rows[row] > 0 {
            if keys.last != rows[row] { keys.append(rows[row]) }
            indices[row] = Int32(keys.count - 1)
        }
        self.keys = keys
        self.indices = indices
    }

    /// Returns the index of a row's key, which must not be missing.
    func index(_ row: Int) -> Int { indices.map { Int($0[row]) } ?? row }

    func isMissing(_ row: Int) -> Bool { indices.map { $0[row] < 0 } ?? false }

    /// Returns the index of each key in another list, whose keys are sorted; -1 for a key that is not in it.
    func places(of others: [Int64]) -> [Int] {
        var places = [Int](repeating: -1, count: keys.count)
        var other = 0
        for index in keys.indices {
            while other < others.count, others[other] < keys[index] { other += 1 }
            if other < others.count, others[other] == keys[index] { places[index] = other }
        }
        return places
    }
}
