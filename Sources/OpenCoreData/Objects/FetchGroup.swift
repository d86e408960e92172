import SwormPredicates
import SwormSQLite

/// The rows of one fetch, shared by the objects made from them.
///
/// Because the objects of a fetch know each other by their group, a relationship that one of them follows is loaded for a
/// bounded batch of its neighbours by the same statement.
final class FetchGroup {
    let buffer: RowBuffer
    let shape: RowShape
    /// What was read ahead for to-many relationships: by slot, then by owner's key.
    private var members: [Int: [Int64: MembersReadAhead]] = [:]
    /// How many neighbours a relationship is loaded for at a time: fewer than usual where they have very many members.
    private var batchSizes: [Int: Int] = [:]
    /// The state of the context at which `members` was read. What was read ahead earlier is not used any more.
    private var generation: UInt64 = 0

    /// How many neighbours a relationship is loaded for at a time.
    static let batchSize = 1000

    init(buffer: RowBuffer, shape: RowShape) {
        self.buffer = buffer
        self.shape = shape
    }

    func entity(row: Int) -> Int { Int(buffer.int64(row, RowShape.entityCell)) }
    func key(row: Int) -> Int64 { buffer.int64(row, RowShape.primaryKeyCell) }
    func version(row: Int) -> Int64 { buffer.int64(row, RowShape.versionCell) }

    /// The members that were read ahead for an owner.
    func membersReadAhead(slot: Int, owner: Int64, generation: UInt64) -> MembersReadAhead? {
        guard generation == self.generation else { return nil }
        return members[slot]?[owner]
    }

    /// Keeps what was read for a batch of owners.
    ///
    /// - Parameter owners: Those whose members were asked for. Where a limit cut the rows off, those that may lack some are
    ///   left out, and fewer are asked for the next time.
    func keep(_ rows: MemberRows, slot: Int, owners: [Int64], limit: Int, generation: UInt64) {
        if generation != self.generation {
            members.removeAll()
            self.generation = generation
        }
        var byOwner = members[slot] ?? [:]
        var ranges = rows.ranges()
        if rows.group.buffer.count < limit {
            for owner in owners { byOwner[owner] = MembersReadAhead(rows: rows, range: 0..<0) }
        } else {
            if rows.group.buffer.count > 0 { ranges[rows.owner(rows.group.buffer.count - 1)] = nil }
            batchSizes[slot] = max(1, ranges.count)
        }
        for (owner, range) in ranges { byOwner[owner] = MembersReadAhead(rows: rows, range: range) }
        members[slot] = byOwner
    }

    /// The keys of the rows from one row on whose entity has the given relationship.
    func owners(from row: Int, model: CompiledModel, declaring entity: CompiledEntity, slot: Int) -> [Int64] {
        let end = min(buffer.count, row + (batchSizes[slot] ?? Self.batchSize))
        let relationship = entity.relationships[slot]
        var keys: [Int64] = []
        keys.reserveCapacity(end - row)
        for index in row..<end {
            guard let candidate = model.entity(numbered: buffer.int64(index, RowShape.entityCell)) else { continue }
            if candidate.number == entity.number || candidate.declares(relationship, at: slot) {
                keys.append(key(row: index))
            }
        }
        return keys
    }
}

/// The rows of the members of many owners, each owner's one behind the other.
final class MemberRows {
    let group: FetchGroup
    /// The rows for handles that need no objects.
    var fetched: FetchedRows?

    init(_ group: FetchGroup) { self.group = group }

    func owner(_ row: Int) -> Int64 { group.buffer.int64(row, group.shape.cells.count) }

    func orderKey(_ row: Int) -> Int64? {
        let cell = group.shape.cells.count + 1
        return group.buffer.isNull(row, cell) ? nil : group.buffer.int64(row, cell)
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
struct MembersReadAhead {
    let rows: MemberRows
    let range: Range<Int>
}

extension CompiledEntity {
    /// Whether the entity has the very relationship in a slot that another entity has there. Siblings may have different
    /// ones, of the same name too.
    func declares(_ relationship: CompiledRelationship, at slot: Int) -> Bool {
        relationships.indices.contains(slot) && relationships[slot].owner == relationship.owner
            && relationships[slot].name == relationship.name
    }
}
