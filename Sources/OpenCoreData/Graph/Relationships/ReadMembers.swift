import SwormSQLite
import SwormRows
import SwormStore

/// The members of one to-many relationship that were read ahead for the objects of a fetch.
struct ReadMembers {
    private var byOwner: [Int64: MembersReadAhead] = [:]
    private var scan: MemberScan?
    private var owners = 0
    private var members = 0
    /// Whether a scan of the whole table may still be worthwhile.
    private var mayBeScanned = true

    subscript(owner: Int64) -> MembersReadAhead? { scan?[owner] ?? byOwner[owner] }

    /// Stores the rows of members.
    ///
    /// - Parameter ranges: The ranges of rows, for each owner whose members were all read.
    mutating func keep(_ ranges: [Int64: Range<Int>], of rows: MemberRows) {
        for (owner, range) in ranges {
            byOwner[owner] = MembersReadAhead(rows: rows, range: range)
            members += range.count
        }
        owners += ranges.count
    }

    /// The rows that were read. Some may occur several times.
    var groups: [RowSet] { byOwner.values.map(\.rows.group) + (scan.map { [$0.rows.group] } ?? []) }

    mutating func keep(_ scan: MemberScan?) {
        self.scan = scan
        mayBeScanned = false
        // Rows that the scan also contains are not stored twice.
        if let scan { byOwner = byOwner.filter { !scan.owners.contains($0.key) } }
    }

    /// Returns whether the given number of members may be read at once: a loop that ends early must not pay for many
    /// members that it never accesses, and no loop may read more than fits into memory.
    func mayScan(_ count: Int, limit: Int) -> Bool {
        mayBeScanned && count > 0 && count <= max(limit, min(2 * members, 10 * limit))
    }

    /// Returns the estimated number of members of the given number of owners, based on those that were read.
    func expectedMembers(of count: Int) -> Int {
        owners == 0 ? 0 : Int(Double(members) / Double(owners) * Double(count))
    }
}

/// Rows that were read ahead because other rows refer to them.
class RowsReadAhead {
    let group: RowSet
    /// The rows for handles that do not need objects.
    var fetched: FetchedRows?

    init(_ group: RowSet) { self.group = group }
}

/// The rows of the members of many owners, grouped by owner, or in the order of the table.
final class MemberRows: RowsReadAhead {
    /// The indexes of the rows in the order of their owners, if they were read in another order.
    let order: ContiguousArray<Int32>

    init(_ group: RowSet, order: ContiguousArray<Int32> = []) {
        self.order = order
        super.init(group)
    }

    func owner(_ row: Int) -> Int64 { group.buffer.int64(row: row, cell: group.shape.cells.count) }

    func orderKey(_ row: Int) -> Int64? {
        let cell = group.shape.cells.count + 1
        guard cell < group.buffer.stride, !group.buffer.isNull(row: row, cell: cell) else { return nil }
        return group.buffer.int64(row: row, cell: cell)
    }

    /// Returns the rows of each owner whose members are complete.
    ///
    /// - Parameters:
    ///   - owners: The owners whose members were requested.
    ///   - limit: The number of rows that was requested. If it is reached, the members of the last owner may be
    ///     incomplete.
    func ranges(of owners: [Int64], limit: Int) -> [Int64: Range<Int>] {
        let count = group.buffer.count
        var ranges: [Int64: Range<Int>] = [:]
        // Rows are in the order of their owners' keys.
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

/// The members of one owner, among the members of all owners that were read together.
package struct MembersReadAhead {
    let rows: MemberRows
    private let range: Range<Int>

    init(rows: MemberRows, range: Range<Int>) {
        self.rows = rows
        self.range = range
    }

    package var count: Int { range.count }

    /// Returns the row of a member by its index, which starts at 0.
    package func row(_ place: Int) -> Int {
        let place = range.lowerBound + place
        return rows.order.isEmpty ? place : Int(rows.order[place])
    }
}

/// The members of all owners between two keys, read in the order of their table and sorted by owner.
struct MemberScan {
    fileprivate let rows: MemberRows
    fileprivate let owners: ClosedRange<Int64>
    /// The start of each owner's members in the order, indexed by the owner's key minus the lowest key.
    private let starts: ContiguousArray<Int32>

    /// Creates a scan.
    ///
    /// - Parameter owners: The keys that the statement requested. Their range is not much larger than the number of
    ///   rows and owners.
    init(_ group: RowSet, owners: ClosedRange<Int64>) {
        let cell = group.shape.cells.count
        let count = group.buffer.count
        func place(_ row: Int) -> Int { Int(group.buffer.int64(row: row, cell: cell) - owners.lowerBound) }
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
