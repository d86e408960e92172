import SwormSQLite

/// What was read ahead of one to-many relationship of the objects of a fetch.
struct ReadMembers {
    private var byOwner: [Int64: MembersReadAhead] = [:]
    private var scan: MemberScan?
    private var owners = 0
    private var members = 0
    /// Whether nobody has found yet that the table is better not read as a whole.
    private(set) var mayBeScanned = true

    subscript(owner: Int64) -> MembersReadAhead? { scan?[owner] ?? byOwner[owner] }

    mutating func keepNone(for owners: [Int64], _ rows: MemberRows) {
        for owner in owners { byOwner[owner] = MembersReadAhead(rows: rows, range: 0..<0) }
    }

    mutating func keep(_ ranges: [Int64: Range<Int>], _ rows: MemberRows, owners: Int) {
        for (owner, range) in ranges { byOwner[owner] = MembersReadAhead(rows: rows, range: range) }
        self.owners += owners
        members += rows.group.buffer.count
    }

    mutating func keep(_ scan: MemberScan?) {
        self.scan = scan
        mayBeScanned = false
    }

    /// About how many members so many owners have, after those that were read.
    func expectedMembers(of count: Int) -> Int {
        owners == 0 ? 0 : Int(Double(members) / Double(owners) * Double(count))
    }
}

/// The rows of the members of many owners, each owner's one behind the other, or in the order of the table.
final class MemberRows {
    let group: FetchGroup
    /// The rows for handles that need no objects.
    var fetched: FetchedRows?
    /// The rows in the order of their owners, where that is not the order in which they were read.
    let order: ContiguousArray<Int32>

    init(_ group: FetchGroup, order: ContiguousArray<Int32> = []) {
        self.group = group
        self.order = order
    }

    func owner(_ row: Int) -> Int64 { group.buffer.int64(row, group.shape.cells.count) }

    func orderKey(_ row: Int) -> Int64? {
        let cell = group.shape.cells.count + 1
        guard cell < group.buffer.stride, !group.buffer.isNull(row, cell) else { return nil }
        return group.buffer.int64(row, cell)
    }

    /// The rows of each owner that has any.
    func ranges() -> [Int64: Range<Int>] {
        var ranges: [Int64: Range<Int>] = [:]
        var start = 0
        for row in 0..<group.buffer.count where row + 1 == group.buffer.count || owner(row + 1) != owner(row) {
            ranges[owner(row)] = start..<(row + 1)
            start = row + 1
        }
        return ranges
    }
}

/// The members of one owner, among those of all owners that were read with it.
package struct MembersReadAhead {
    let rows: MemberRows
    fileprivate let range: Range<Int>

    package var count: Int { range.count }

    /// The row of a member, by its place from 0.
    package func row(_ place: Int) -> Int {
        let place = range.lowerBound + place
        return rows.order.isEmpty ? place : Int(rows.order[place])
    }
}

/// The members of all owners between two keys, read in the order of their table and put into that of the owners.
struct MemberScan {
    private let rows: MemberRows
    private let owners: ClosedRange<Int64>
    /// By owner's key less the lowest: where its members begin in the order.
    private let starts: ContiguousArray<Int32>

    /// - Parameter owners: The keys that the statement asked for; there are not many more than rows and owners.
    init(_ group: FetchGroup, owners: ClosedRange<Int64>) {
        let cell = group.shape.cells.count
        let count = group.buffer.count
        func place(_ row: Int) -> Int { Int(group.buffer.int64(row, cell) - owners.lowerBound) }
        var starts = ContiguousArray<Int32>(repeating: 0, count: Int(owners.upperBound - owners.lowerBound) + 2)
        for row in 0..<count { starts[place(row) + 1] += 1 }
        for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
        var next = starts
        var order = ContiguousArray<Int32>(repeating: 0, count: count)
        for row in 0..<count {
            let owner = place(row)
            order[Int(next[owner])] = Int32(truncatingIfNeeded: row)
            next[owner] += 1
        }
        rows = MemberRows(group, order: order)
        self.owners = owners
        self.starts = starts
    }

    subscript(owner: Int64) -> MembersReadAhead? {
        guard owners.contains(owner) else { return nil }
        let place = Int(owner - owners.lowerBound)
        return MembersReadAhead(rows: rows, range: Int(starts[place])..<Int(starts[place + 1]))
    }
}
