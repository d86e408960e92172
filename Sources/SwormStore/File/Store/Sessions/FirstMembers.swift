import SwormRows
import SwormSQLite

/// The first members of each owner, by sort values and then by key, which are chosen from members in any order.
struct FirstMembers {
    private let first: Int64
    /// The index of each key from the first owner on; -1 for a key that is no owner's.
    private let places: [Int32]
    private let limit: Int
    private let descending: [Bool]
    /// The number of members of each owner so far.
    private var counts: [Int]
    /// The sort values and the key of each member, for the limit of each owner.
    private var members: [Int64]
    private var candidate: [Int64]

    /// - Parameters:
    ///   - owners: The keys of the owners, sorted and different.
    ///   - range: The range of these keys.
    ///   - count: The number of members to choose for each owner.
    ///   - descending: Whether the order of each sort value is descending.
    init(of owners: [Int64], in range: ClosedRange<Int64>, count: Int, descending: [Bool]) {
        var places = [Int32](repeating: -1, count: range.count)
        for (place, owner) in owners.enumerated() { places[Int(owner - range.lowerBound)] = Int32(place) }
        self.places = places
        first = range.lowerBound
        limit = count
        self.descending = descending
        counts = [Int](repeating: 0, count: owners.count)
        members = [Int64](repeating: 0, count: owners.count * count * (descending.count + 1))
        candidate = [Int64](repeating: 0, count: descending.count + 1)
    }

    /// Adds the member in the current row of a statement, if it is among the first of its owner. The columns are the owner,
    /// the key and the sort values.
    ///
    /// - Returns: False if only SQLite can compare the values: strings and blobs, which a file can have in any column, and
    ///   integers that are not exact as doubles.
    mutating func add(_ row: borrowing Statement) -> Bool {
        guard row.type(0) == .integer else { return false }
        let place = Int(places[Int(row.int64(0) - first)])
        if place < 0 { return true }
        for index in descending.indices {
            guard let rank = Self.rank(of: row, 2 + index) else { return false }
            candidate[index] = descending[index] ? ~rank : rank
        }
        candidate[descending.count] = row.int64(1)
        insert(at: place)
        return true
    }

    private mutating func insert(at place: Int) {
        let (size, count) = (candidate.count, counts[place])
        let start = place * limit * size
        var position = count
        while position > 0, candidatePrecedes(start + (position - 1) * size) { position -= 1 }
        if position == limit { return }
        counts[place] = min(count + 1, limit)
        var index = start + counts[place] * size
        let target = start + position * size
        while index > target + size {
            index -= 1
            members[index] = members[index - size]
        }
        for index in 0..<size { members[target + index] = candidate[index] }
    }

    /// Returns whether the candidate comes before the member at a position. Their keys are different.
    private func candidatePrecedes(_ start: Int) -> Bool {
        var index = 0
        while index < candidate.count - 1, candidate[index] == members[start + index] { index += 1 }
        return candidate[index] < members[start + index]
    }

    /// Returns the keys of the members, by owner and in their order.
    ///
    /// - Parameter offset: The number of members of each owner to leave out.
    func keys(from offset: Int) -> [Int64] {
        let size = candidate.count
        return counts.indices.flatMap { place in
            (min(offset, counts[place])..<counts[place]).map { members[(place * limit + $0 + 1) * size - 1] }
        }
    }

    /// Returns an integer that is ordered as SQLite orders the value of a column; nil if only SQLite can compare it.
    private static func rank(of row: borrowing Statement, _ column: Int) -> Int64? {
        switch row.type(column) {
        case .null: return .min
        case .integer:
            let integer = row.int64(column)
            return integer.magnitude <= 1 << 53 ? rank(of: Double(integer)) : nil
        case .real: return rank(of: row.double(column))
        case .text, .blob: return nil
        }
    }

    /// Returns an integer that is ordered as numbers are. The bits of negative numbers ascend with their magnitude.
    private static func rank(of number: Double) -> Int64 {
        // Adding zero makes a negative zero positive, which SQLite sorts as equal.
        let bits = Int64(bitPattern: (number + 0).bitPattern)
        return bits >= 0 ? bits : bits ^ .max
    }
}
