/// The rows of each owner, in a list of rows.
struct RowGroups {
    /// The first position of each owner, and the number of positions.
    private let starts: [Int]
    /// The row at each position; nil if it is the row with that number.
    private let order: [Int32]?

    /// Creates groups without rows.
    init(of owners: KeyList) {
        starts = [Int](repeating: 0, count: owners.keys.count + 1)
        order = nil
    }

    /// - Parameters:
    ///   - owners: The keys of the rows' owners. Rows whose owner is not in the list belong to no group.
    ///   - list: The owners of the groups.
    init(owners: [Int64], in list: KeyList) {
        let search = KeySearch(list.keys)
        var places = [Int32](repeating: -1, count: owners.count)
        var isInOrder = true
        var last: (key: Int64, place: Int32) = (Int64.min, 0)
        for (row, owner) in owners.enumerated() {
            // Adjacent rows usually have the same owner.
            if owner != last.key {
                let place = search.place(of: owner)
                isInOrder = isInOrder && place >= max(last.place, 0)
                last = (owner, place)
            }
            places[row] = last.place
        }
        var starts = [Int](repeating: 0, count: list.keys.count + 1)
        for place in places where place >= 0 { starts[Int(place) + 1] += 1 }
        for index in list.keys.indices { starts[index + 1] += starts[index] }
        self.starts = starts
        if isInOrder {
            order = nil
            return
        }
        var order = [Int32](repeating: 0, count: starts[list.keys.count])
        var next = starts
        for row in owners.indices where places[row] >= 0 {
            order[next[Int(places[row])]] = Int32(row)
            next[Int(places[row])] += 1
        }
        self.order = order
    }

    /// The number of groups.
    var count: Int { starts.count - 1 }

    /// Whether all of a number of rows belong to groups.
    func contains(allOf rows: Int) -> Bool { starts[count] == rows }

    /// Returns the positions of a group.
    subscript(group: Int) -> Range<Int> { starts[group]..<starts[group + 1] }

    /// Returns the row at a position.
    func row(at position: Int) -> Int { order.map { Int($0[position]) } ?? position }

    /// Returns the values of the rows as a list for each group.
    func lists<Value>(of values: [Value]) -> [[Value]] {
        (0..<count).map { self[$0].map { values[row(at: $0)] } }
    }
}

/// A search for keys in a sorted list.
private struct KeySearch {
    private let keys: [Int64]
    /// The index of each number from the first key on, if the keys are dense; -1 for other numbers.
    private let table: [Int32]

    init(_ keys: [Int64]) {
        self.keys = keys
        guard let first = keys.first, let last = keys.last, keys.count < Int(Int32.max),
            last - first < 4 * Int64(keys.count) + 64
        else {
            table = []
            return
        }
        var table = [Int32](repeating: -1, count: Int(last - first) + 1)
        for (place, key) in keys.enumerated() { table[Int(key - first)] = Int32(place) }
        self.table = table
    }

    /// Returns the index of a key; -1 for a key that is not in the list.
    func place(of key: Int64) -> Int32 {
        if !table.isEmpty {
            let index = key &- keys[0]
            return index >= 0 && index < Int64(table.count) ? table[Int(index)] : -1
        }
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key ? Int32(low) : -1
    }
}
