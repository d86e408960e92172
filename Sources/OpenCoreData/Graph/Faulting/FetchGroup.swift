import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// The rows of one fetch, shared by the objects made from them.
///
/// Because the objects of a fetch know each other by their group, a relationship that one of them follows is loaded for a
/// bounded batch of its neighbours by the same statement.
final class FetchGroup {
    let buffer: RowBuffer
    let shape: RowShape
    /// What was read ahead for to-many relationships.
    private var members: [RelationshipPlace: ReadMembers] = [:]
    /// What was read ahead for to-one relationships, by the key of the object at the end.
    private var destinations: [RelationshipPlace: [Int64: DestinationReadAhead]] = [:]
    /// How many neighbours a relationship is loaded for at a time: fewer than usual where they have very many members, and
    /// where one of them is damaged.
    private var batchSizes: [RelationshipPlace: Int] = [:]
    /// The state of the context at which all that was read. What was read ahead earlier is not used any more.
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
    func membersReadAhead(_ place: RelationshipPlace, owner: Int64, generation: UInt64) -> MembersReadAhead? {
        guard generation == self.generation else { return nil }
        return members[place]?[owner]
    }

    /// Keeps what was read for a batch of owners.
    ///
    /// - Parameter owners: Those whose members were asked for. Where a limit cut the rows off, those that may lack some are
    ///   left out, and fewer are asked for the next time.
    func keep(_ rows: MemberRows, _ place: RelationshipPlace, owners: [Int64], limit: Int, generation: UInt64) {
        renew(generation)
        let ranges = rows.ranges(of: owners, limit: limit)
        if rows.group.buffer.count < limit {
            // One owner with very many members makes no small batches of all that follow.
            resizeBatches(place, isSound: true)
        } else {
            batchSizes[place] = max(1, ranges.count)
        }
        members[place, default: ReadMembers()].keep(ranges, rows)
    }

    /// Keeps what was read of the whole table, if anything.
    func keep(_ scan: MemberScan?, _ place: RelationshipPlace, generation: UInt64) {
        renew(generation)
        members[place, default: ReadMembers()].keep(scan)
    }

    /// The owners whose members are better read in one go with all others, and about how many those are.
    ///
    /// A loop over all objects of a fetch asks for one batch after the other. When it comes to the second, it is known how many
    /// members one has. The longer it goes on, the more may be read at once.
    ///
    /// - Parameter limit: The number of members that may always be read at once.
    func ownersToScan(
        from row: Int, _ place: RelationshipPlace, limit: Int, generation: UInt64
    ) -> (keys: ClosedRange<Int64>, members: Int)? {
        let remaining = buffer.count - row
        // A loop that goes backwards has what comes behind.
        guard remaining >= 2 * Self.batchSize, generation == self.generation, let known = members[place],
            known[key(row: buffer.count - 1)] == nil
        else { return nil }
        let expected = known.expectedMembers(of: remaining)
        guard known.mayScan(expected, limit: limit) else { return nil }
        var (least, greatest) = (Int64.max, Int64.min)
        for row in row..<buffer.count {
            least = min(least, key(row: row))
            greatest = max(greatest, key(row: row))
        }
        let (span, overflow) = greatest.subtractingReportingOverflow(least)
        // The table by owner has a place for every key.
        guard !overflow, span < 8 * Int64(remaining) else {
            members[place]?.keep(nil)
            return nil
        }
        return (least...greatest, expected)
    }

    /// The object that was read ahead for a to-one relationship.
    func destinationReadAhead(
        _ place: RelationshipPlace, key: Int64, generation: UInt64
    ) -> DestinationReadAhead? {
        guard generation == self.generation else { return nil }
        return destinations[place]?[key]
    }

    /// Keeps what was read for a to-one relationship.
    ///
    /// - Parameter keys: Those that were asked for.
    func keep(_ rows: RowsReadAhead, _ place: RelationshipPlace, keys: [Int64], generation: UInt64) {
        renew(generation)
        var found: [Int64: Int] = [:]
        for row in 0..<rows.group.buffer.count { found[rows.group.key(row: row)] = row }
        for key in keys {
            destinations[place, default: [:]][key] = DestinationReadAhead(rows: rows, row: found[key])
        }
    }

    /// The rows that were read ahead for a relationship.
    func groupsReadAhead(_ place: RelationshipPlace, generation: UInt64) -> [FetchGroup] {
        guard generation == self.generation else { return [] }
        var seen: Set<ObjectIdentifier> = []
        let all =
            (members[place]?.groups ?? [])
            + (destinations[place] ?? [:]).values.map { $0.rows.group }
        return all.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    private func renew(_ generation: UInt64) {
        guard generation != self.generation else { return }
        members.removeAll()
        destinations.removeAll()
        self.generation = generation
    }

    /// Makes small batches after one that had something damaged in it, and larger ones again after those that had not. So one
    /// damaged row does not make all of its neighbours be read alone.
    func resizeBatches(_ place: RelationshipPlace, isSound: Bool) {
        if isSound {
            batchSizes[place] = batchSizes[place].map { min(Self.batchSize, $0 * 2) }
        } else {
            batchSizes[place] = max(1, (batchSizes[place] ?? Self.batchSize) / 2)
        }
    }

    /// A row and its neighbours. Whichever way a loop goes over the rows, it comes to few batches.
    func batch(around row: Int, _ place: RelationshipPlace) -> Range<Int> {
        let size = batchSizes[place] ?? Self.batchSize
        let start = row / size * size
        return start..<min(buffer.count, start + size)
    }

    /// The keys of a row and of those of its neighbours whose entity has the given relationship, and of whom its members were
    /// not read yet.
    func owners(
        around row: Int, model: CompiledModel, declaring entity: CompiledEntity, slot: Int, generation: UInt64
    ) -> [Int64] {
        let place = entity.place(ofRelationship: slot)
        let relationship = entity.relationships[slot]
        let known = generation == self.generation ? members[place] : nil
        let batch = batch(around: row, place)
        var keys: [Int64] = []
        keys.reserveCapacity(batch.count)
        for index in batch {
            guard let candidate = model.entity(numbered: buffer.int64(index, RowShape.entityCell)) else { continue }
            let key = key(row: index)
            if candidate.number == entity.number || candidate.declares(relationship, at: slot), known?[key] == nil {
                keys.append(key)
            }
        }
        return keys
    }
}

/// The object at the end of a to-one relationship, among those that were read with it.
struct DestinationReadAhead {
    let rows: RowsReadAhead
    /// Nil where there is no such row.
    let row: Int?
}

/// A relationship of a model. Its slot alone does not name it: siblings may have different ones there.
struct RelationshipPlace: Hashable {
    /// The number of the entity that declares it.
    let owner: Int
    let slot: Int
}

extension CompiledEntity {
    func place(ofRelationship slot: Int) -> RelationshipPlace {
        RelationshipPlace(owner: relationships[slot].owner, slot: slot)
    }

    /// Whether the entity has the very relationship in a slot that another entity has there. Siblings may have different
    /// ones, of the same name too.
    func declares(_ relationship: CompiledRelationship, at slot: Int) -> Bool {
        relationships.indices.contains(slot) && relationships[slot].owner == relationship.owner
            && relationships[slot].name == relationship.name
    }
}
