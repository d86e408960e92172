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
    /// - Parameters:
    ///   - owners: In the order in which they are likely to be asked.
    ///   - entity: The entity that the relationship leads to.
    func keep(_ found: [StoreMember], slot: Int, owners: [Int64], entity: Int, generation: UInt64) {
        if generation != self.generation {
            members.removeAll()
            self.generation = generation
        }
        var byOwner = members[slot] ?? [:]
        let grouped = Dictionary(grouping: found, by: \.owner)
        let batch = MemberKeys(
            keys: owners.flatMap { (grouped[$0] ?? []).map(\.destination.key) }, entity: entity)
        var first = 0
        for owner in owners {
            let own = grouped[owner] ?? []
            byOwner[owner] = MembersReadAhead(members: own, batch: batch, first: first)
            first += own.count
        }
        members[slot] = byOwner
    }

    /// The keys of the rows from one row on whose entity has the given relationship.
    func owners(from row: Int, model: CompiledModel, declaring entity: CompiledEntity, slot: Int) -> [Int64] {
        let end = min(buffer.count, row + Self.batchSize)
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

/// The members of one owner, among those of all owners that were read with it.
struct MembersReadAhead {
    let members: [StoreMember]
    /// The keys of all of them, so that one statement reads the rows for many owners.
    let batch: MemberKeys
    /// The place of this owner's first member in the batch.
    let first: Int

    /// What is told to the fault of a member.
    ///
    /// Members are asked in no order. So the rows of one come with those of its whole owner, and the ones behind it.
    func hint(_ index: Int) -> FaultHint {
        .member(batch, index: first + index / FetchGroup.batchSize * FetchGroup.batchSize)
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
