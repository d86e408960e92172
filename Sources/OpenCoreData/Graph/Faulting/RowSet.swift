import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// The rows of one fetch, shared by the objects that are created from them.
///
/// The group identifies an object's neighbours in the fetch. When a relationship of one object is followed, a single
/// statement loads it for a bounded batch of these neighbours.
final class RowSet {
    let buffer: RowBuffer
    let shape: RowShape
    /// The time at which the rows were read; nil if the context did not measure it.
    let readAt: ContinuousClock.Instant?
    /// The members that were read ahead for to-many relationships.
    private var members: [RelationshipLocation: ReadMembers] = [:]
    /// The objects that were read ahead for to-one relationships, by their keys.
    private var destinations: [RelationshipLocation: [Int64: DestinationReadAhead]] = [:]
    /// The number of neighbours for which a relationship is loaded at a time, if it is smaller than ``batchSize``
    /// because the neighbours have many members or one of them is damaged.
    private var batchSizes: [RelationshipLocation: Int] = [:]
    /// The generation of the context in which everything was read ahead. Rows that were read ahead in an earlier
    /// generation are not used.
    private var generation: UInt64 = 0

    /// The number of neighbours for which a relationship is loaded at a time.
    static let batchSize = 1000

    init(buffer: RowBuffer, shape: RowShape, readAt: ContinuousClock.Instant?) {
        self.buffer = buffer
        self.shape = shape
        self.readAt = readAt
    }

    func entity(row: Int) -> Int { Int(buffer.int64(row: row, cell: RowShape.entityCell)) }
    func key(row: Int) -> Int64 { buffer.int64(row: row, cell: RowShape.primaryKeyCell) }
    func version(row: Int) -> Int64 { buffer.int64(row: row, cell: RowShape.versionCell) }

    /// Returns the members that were read ahead for an owner.
    func membersReadAhead(_ place: RelationshipLocation, owner: Int64, generation: UInt64) -> MembersReadAhead? {
        guard generation == self.generation else { return nil }
        return members[place]?[owner]
    }

    /// Stores the members that were read for a batch of owners.
    ///
    /// - Parameter owners: The owners whose members were requested. If a limit truncated the rows, owners whose members
    ///   may be incomplete are left out, and the next batch is smaller.
    func keep(_ rows: MemberRows, for place: RelationshipLocation, owners: [Int64], limit: Int, generation: UInt64) {
        renew(generation)
        let ranges = rows.ranges(of: owners, limit: limit)
        if rows.group.buffer.count < limit {
            // Increase the batch size again, so that one owner with many members does not make all later batches small.
            resizeBatches(place, isSound: true)
        } else {
            batchSizes[place] = max(1, ranges.count)
        }
        members[place, default: ReadMembers()].keep(ranges, of: rows)
    }

    /// Stores the result of scanning the whole table, if there is one.
    func keep(_ scan: MemberScan?, for place: RelationshipLocation, generation: UInt64) {
        renew(generation)
        members[place, default: ReadMembers()].keep(scan)
    }

    /// Returns the key range of the owners whose members are best read in a single scan, and the approximate number of
    /// members.
    ///
    /// A loop over all objects of a fetch requests one batch after the other. At the second batch, the average number
    /// of members is known. The longer the loop runs, the more members may be read at once.
    ///
    /// - Parameter limit: The number of members that may always be read at once.
    func ownersToScan(
        from row: Int, _ place: RelationshipLocation, limit: Int, generation: UInt64
    ) -> (keys: ClosedRange<Int64>, members: Int)? {
        let remaining = buffer.count - row
        // A loop in reverse order has already read the members of the last rows.
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
        // The table by owner has an element for every key.
        guard !overflow, span < 8 * Int64(remaining) else {
            members[place]?.keep(nil)
            return nil
        }
        return (least...greatest, expected)
    }

    /// Returns the object that was read ahead for a to-one relationship.
    func destinationReadAhead(
        _ place: RelationshipLocation, key: Int64, generation: UInt64
    ) -> DestinationReadAhead? {
        guard generation == self.generation else { return nil }
        return destinations[place]?[key]
    }

    /// Stores the rows that were read for a to-one relationship.
    ///
    /// - Parameter keys: The keys that were requested.
    func keep(_ rows: RowsReadAhead, for place: RelationshipLocation, keys: [Int64], generation: UInt64) {
        renew(generation)
        var found: [Int64: Int] = [:]
        for row in 0..<rows.group.buffer.count { found[rows.group.key(row: row)] = row }
        for key in keys {
            destinations[place, default: [:]][key] = DestinationReadAhead(rows: rows, row: found[key])
        }
    }

    /// Returns the rows that were read ahead for a relationship.
    func groupsReadAhead(_ place: RelationshipLocation, generation: UInt64) -> [RowSet] {
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

    /// Reduces the batch size after a batch with damaged rows, and increases it again after sound batches. Therefore, a
    /// single damaged row does not cause all of its neighbours to be read individually.
    func resizeBatches(_ place: RelationshipLocation, isSound: Bool) {
        if isSound {
            batchSizes[place] = batchSizes[place].map { min(Self.batchSize, $0 * 2) }
        } else {
            batchSizes[place] = max(1, (batchSizes[place] ?? Self.batchSize) / 2)
        }
    }

    /// Returns the batch that contains a row and its neighbours. Batches are aligned, so a loop in either direction
    /// needs few of them.
    func batch(around row: Int, _ place: RelationshipLocation) -> Range<Int> {
        let size = batchSizes[place] ?? Self.batchSize
        let start = row / size * size
        return start..<min(buffer.count, start + size)
    }

    /// Returns the keys of a row and of its neighbours whose entity has the given relationship and whose members were
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
            guard let candidate = model.entity(numbered: buffer.int64(row: index, cell: RowShape.entityCell)) else {
                continue
            }
            let key = key(row: index)
            if candidate.number == entity.number || candidate.declares(relationship, at: slot), known?[key] == nil {
                keys.append(key)
            }
        }
        return keys
    }
}

/// The object at the end of a to-one relationship, among the rows that were read with it.
struct DestinationReadAhead {
    let rows: RowsReadAhead
    /// The index of the row, or nil if the row does not exist.
    let row: Int?
}
