import SwormPredicates
import SwormSQLite

/// The rows of one fetch, shared by the objects made from them.
///
/// Because the objects of a fetch know each other by their group, a relationship that one of them follows is loaded for a
/// bounded batch of its neighbours by the same statement.
final class FetchGroup {
    let buffer: RowBuffer
    let shape: RowShape
    /// What was read ahead for to-many relationships, by slot.
    private var members: [Int: ReadMembers] = [:]
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
        begin(generation)
        let count = rows.group.buffer.count
        var ranges = rows.ranges()
        if count < limit {
            members[slot, default: ReadMembers()].keepNone(for: owners, rows)
        } else {
            if count > 0 { ranges[rows.owner(count - 1)] = nil }
            batchSizes[slot] = max(1, ranges.count)
        }
        members[slot, default: ReadMembers()].keep(ranges, rows, owners: owners.count)
    }

    /// Keeps what was read of the whole table, if anything.
    func keep(_ scan: MemberScan?, slot: Int, generation: UInt64) {
        begin(generation)
        members[slot, default: ReadMembers()].keep(scan)
    }

    private func begin(_ generation: UInt64) {
        guard generation != self.generation else { return }
        members.removeAll()
        self.generation = generation
    }

    /// The owners whose members are better read in one go with all others, and about how many those are.
    ///
    /// A loop over all objects of a fetch asks for one batch after the other. When it comes to the second, it is known how many
    /// members one has.
    func ownersToScan(from row: Int, slot: Int, generation: UInt64) -> (keys: ClosedRange<Int64>, members: Int)? {
        let remaining = buffer.count - row
        guard remaining >= 2 * Self.batchSize, generation == self.generation, let known = members[slot],
            known.mayBeScanned
        else { return nil }
        var (least, greatest) = (Int64.max, Int64.min)
        for row in row..<buffer.count {
            least = min(least, key(row: row))
            greatest = max(greatest, key(row: row))
        }
        let (span, overflow) = greatest.subtractingReportingOverflow(least)
        // The table by owner has a place for every key.
        guard !overflow, span < 8 * Int64(remaining) else { return nil }
        return (least...greatest, known.expectedMembers(of: remaining))
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

extension CompiledEntity {
    /// Whether the entity has the very relationship in a slot that another entity has there. Siblings may have different
    /// ones, of the same name too.
    func declares(_ relationship: CompiledRelationship, at slot: Int) -> Bool {
        relationships.indices.contains(slot) && relationships[slot].owner == relationship.owner
            && relationships[slot].name == relationship.name
    }
}
