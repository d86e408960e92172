import SwormSQLite
import SwormRows
import SwormStore

/// What was read ahead of one to-many relationship of the objects of a fetch.
struct ReadMembers {
    private var byOwner: [Int64: MembersReadAhead] = [:]
    private var scan: MemberScan?
    private var owners = 0
    private var members = 0
    /// Whether nobody has found yet that the table is better not read as a whole.
    private var mayBeScanned = true

    subscript(owner: Int64) -> MembersReadAhead? { scan?[owner] ?? byOwner[owner] }

    /// - Parameter ranges: The rows of each owner of which all were read.
    mutating func keep(_ ranges: [Int64: Range<Int>], _ rows: MemberRows) {
        for (owner, range) in ranges {
            byOwner[owner] = MembersReadAhead(rows: rows, range: range)
            members += range.count
        }
        owners += ranges.count
    }

    /// The rows that were read, some of them more than once.
    var groups: [FetchGroup] { byOwner.values.map(\.rows.group) + (scan.map { [$0.rows.group] } ?? []) }

    mutating func keep(_ scan: MemberScan?) {
        self.scan = scan
        mayBeScanned = false
        // What the scan has again is not kept twice.
        if let scan { byOwner = byOwner.filter { !scan.owners.contains($0.key) } }
    }

    /// Whether so many members may be read in one go: a loop that ends early must not pay for much that it never asks for, and
    /// no loop for more than memory holds.
    func mayScan(_ count: Int, limit: Int) -> Bool {
        mayBeScanned && count > 0 && count <= max(limit, min(2 * members, 10 * limit))
    }

    /// About how many members so many owners have, after those that were read.
    func expectedMembers(of count: Int) -> Int {
        owners == 0 ? 0 : Int(Double(members) / Double(owners) * Double(count))
    }
}

/// Rows that were read because others lead to them.
class RowsReadAhead {
    let group: FetchGroup
    /// The rows for handles that need no objects.
    var fetched: FetchedRows?

    init(_ group: FetchGroup) { self.group = group }
}

/// The rows of the members of many owners, each owner's one behind the other, or in the order of the table.
final class MemberRows: RowsReadAhead {
    /// The rows in the order of their owners, where that is not the order in which they were read.
    let order: ContiguousArray<Int32>

    init(_ group: FetchGroup, order: ContiguousArray<Int32> = []) {
        self.order = order
        super.init(group)
    }

    func owner(_ row: Int) -> Int64 { group.buffer.int64(row, group.shape.cells.count) }

    func orderKey(_ row: Int) -> Int64? {
        let cell = group.shape.cells.count + 1
        guard cell < group.buffer.stride, !group.buffer.isNull(row, cell) else { return nil }
        return group.buffer.int64(row, cell)
    }

    /// The rows of each owner of which they are all here.
    ///
    /// - Parameters:
    ///   - owners: Those whose members were asked for.
    ///   - limit: The number of rows that were asked for. Where there are so many, the last owner may lack some.
    func ranges(of owners: [Int64], limit: Int) -> [Int64: Range<Int>] {
        let count = group.buffer.count
        var ranges: [Int64: Range<Int>] = [:]
        // Rows come in the order of their owners' keys.
        let cutOff = count < limit ? nil : owner(count - 1)
        for owner in owners where cutOff.map({ owner < $0 }) ?? true { ranges[owner] = 0..<0 }
        var start = 0
        for row in 0..<count where row + 1 == count || owner(row + 1) != owner(row) {
            if owner(row) != cutOff { ranges[owner(row)] = start..<(row + 1) }
            start = row + 1
        }
        return ranges
    }
}

/// The members of one owner, among those of all owners that were read with it.
package struct MembersReadAhead {
    let rows: MemberRows
    private let range: Range<Int>

    init(rows: MemberRows, range: Range<Int>) {
        self.rows = rows
        self.range = range
    }

    package var count: Int { range.count }

    /// The row of a member, by its place from 0.
    package func row(_ place: Int) -> Int {
        let place = range.lowerBound + place
        return rows.order.isEmpty ? place : Int(rows.order[place])
    }
}

/// The members of all owners between two keys, read in the order of their table and put into that of the owners.
struct MemberScan {
    fileprivate let rows: MemberRows
    fileprivate let owners: ClosedRange<Int64>
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
