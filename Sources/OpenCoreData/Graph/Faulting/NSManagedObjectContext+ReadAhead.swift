import Foundation
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

// Relationships of the rows of a fetch, read together and stored with the rows.
//
// A loop over the objects of a fetch usually follows the same relationship of each object. One statement per object
// would take most of the time, so the relationship is read for a batch of neighbours. A batch is bounded, because the
// loop may end early. A loop that requests a second batch probably continues to the end, so from then on a single scan
// of the table may replace all further batches.
//
// A damaged row fails the whole batch that contains it. The next batch is smaller, so that the rows around the damage
// are still read together, and only the object that needs the damaged row reports the error.
extension NSManagedObjectContext {
    /// Returns the members of a row's object, reading them together with those of its neighbours if necessary.
    ///
    /// Returns nil if they must be read separately, because there are very many of them or a neighbour's members are
    /// damaged.
    final func membersReadAhead(
        _ group: RowSet, row: Int, slot: Int, entity compiledEntity: CompiledEntity, origin: ObjectOrigin
    ) throws -> MembersReadAhead? {
        let (own, place) = (group.key(row: row), compiledEntity.place(ofRelationship: slot))
        if let ahead = group.membersReadAhead(place, owner: own, generation: faulting.generation) { return ahead }
        do {
            // At most twice the expected number of members is read.
            let scan = group.ownersToScan(
                from: row, place, limit: 2 * faulting.largestReadAhead, generation: faulting.generation)
            if let scan {
                try scanMembers(
                    group, slot: slot, entity: compiledEntity, origin: origin, owners: scan.keys,
                    expecting: scan.members)
                if let ahead = group.membersReadAhead(place, owner: own, generation: faulting.generation) {
                    return ahead
                }
            }
            try readMembersAhead(group, row: row, slot: slot, entity: compiledEntity, origin: origin)
        } catch let error as CoreDataError where error.isOfDamage {
            group.resizeBatches(place, isSound: false)
            return nil
        }
        return group.membersReadAhead(place, owner: own, generation: faulting.generation)
    }

    /// Reads the members of the objects of a row and its neighbours.
    private func readMembersAhead(
        _ group: RowSet, row: Int, slot: Int, entity compiledEntity: CompiledEntity, origin: ObjectOrigin
    ) throws {
        let owners = group.owners(
            around: row, model: origin.compiled, declaring: compiledEntity, slot: slot, generation: faulting.generation)
        let rows = try memberRows(ofRelationship: slot, entity: compiledEntity, owners: owners, origin: origin)
        group.keep(
            rows, for: compiledEntity.place(ofRelationship: slot), owners: owners, limit: faulting.largestReadAhead,
            generation: faulting.generation)
    }

    /// Reads the members of all owners between two keys, if this is faster than looking them up and does not exceed the
    /// limit.
    private func scanMembers(
        _ group: RowSet, slot: Int, entity compiledEntity: CompiledEntity, origin: ObjectOrigin,
        owners: ClosedRange<Int64>,
        expecting count: Int
    ) throws {
        var scan: MemberScan?
        let shape = self.shape(of: compiledEntity.relationships[slot].destination, origin)
        do {
            let buffer = try withSession(of: origin) {
                try $0.memberRows(
                    ofRelationship: slot, entity: compiledEntity.number, ownersBetween: owners, shape: shape,
                    expecting: count)
            }
            if let rows = buffer.map({ RowSet(buffer: $0, shape: shape, readAt: timeOfReading) }) {
                try rows.checkEntities(model: origin.compiled)
                scan = MemberScan(rows, owners: owners)
            }
        } catch let error as CoreDataError where error.isOfDamage {
            // The batches report the error when the damaged row is used. The next owner does not try the scan again.
        }
        group.keep(scan, for: compiledEntity.place(ofRelationship: slot), generation: faulting.generation)
    }

    /// Returns the rows of the members of owners, at most as many as the read-ahead limit.
    final func memberRows(
        ofRelationship slot: Int, entity compiledEntity: CompiledEntity, owners: [Int64], origin: ObjectOrigin
    ) throws -> MemberRows {
        let shape = self.shape(of: compiledEntity.relationships[slot].destination, origin)
        let limit = faulting.largestReadAhead
        let buffer = try withSession(of: origin) {
            try $0.memberRows(
                ofRelationship: slot, entity: compiledEntity.number, owners: owners, shape: shape, limit: limit)
        }
        let rows = MemberRows(RowSet(buffer: buffer, shape: shape, readAt: timeOfReading))
        try rows.group.checkEntities(model: origin.compiled)
        return rows
    }

    /// Reads the destinations of a to-one relationship of some rows, as rows.
    final func readDestinationsAhead(
        _ group: RowSet, rows: Range<Int>, slot: Int, relationship: CompiledRelationship, origin: ObjectOrigin
    ) throws {
        let place = RelationshipLocation(owner: relationship.owner, slot: slot)
        var keys: [Int64] = []
        var seen: Set<Int64> = []
        for row in rows {
            guard let number = try? group.checkedEntity(row: row, model: origin.compiled) else { continue }
            let compiledEntity = origin.compiled[number]
            guard compiledEntity.declares(relationship, at: slot),
                let key = group.destination(row: row, slot: slot, entity: compiledEntity, model: origin.compiled)?.key,
                seen.insert(key).inserted,
                group.destinationReadAhead(place, key: key, generation: faulting.generation) == nil
            else { continue }
            keys.append(key)
        }
        for start in stride(from: 0, to: keys.count, by: RowSet.batchSize) {
            let batch = Array(keys[start..<min(keys.count, start + RowSet.batchSize)])
            let found = try readRows(batch, entity: relationship.destination, origin: origin)
            try found.checkEntities(model: origin.compiled)
            group.keep(RowsReadAhead(found), for: place, keys: batch, generation: faulting.generation)
        }
    }

    // MARK: Prefetching

    /// Reads the destinations of the rows of a fetch along relationship paths, as rows.
    ///
    /// If a row is damaged, the rest of its relationship is read only when it is used, because only then can the error
    /// name the damaged object.
    final func prefetch(_ paths: [PrefetchPath], in group: RowSet, origin: ObjectOrigin) throws {
        for path in paths {
            var groups = [group]
            for step in path.steps {
                for group in groups {
                    do {
                        try prefetch(step, in: group, origin: origin)
                        try share(step, of: group, origin: origin)
                    } catch let error as CoreDataError where error.isOfDamage {}
                }
                groups = groups.flatMap { $0.groupsReadAhead(step.place, generation: faulting.generation) }
            }
        }
    }

    private func prefetch(_ step: PrefetchPath.Step, in group: RowSet, origin: ObjectOrigin) throws {
        let rows = 0..<group.buffer.count
        guard step.relationship.isToMany else {
            return try readDestinationsAhead(
                group, rows: rows, slot: step.slot, relationship: step.relationship, origin: origin)
        }
        for row in rows {
            guard let number = try? group.checkedEntity(row: row, model: origin.compiled) else { continue }
            let compiledEntity = origin.compiled[number]
            guard compiledEntity.declares(step.relationship, at: step.slot),
                group.membersReadAhead(step.place, owner: group.key(row: row), generation: faulting.generation) == nil
            else { continue }
            try readMembersAhead(group, row: row, slot: step.slot, entity: compiledEntity, origin: origin)
        }
    }
}

extension NSManagedObjectContext {
    /// Passes the results of a prefetch to objects that the context had already registered, because these hold rows of
    /// other fetches.
    private func share(_ step: PrefetchPath.Step, of group: RowSet, origin: ObjectOrigin) throws {
        guard !identities.isEmpty else { return }
        for row in 0..<group.buffer.count {
            guard let number = try? group.checkedEntity(row: row, model: origin.compiled),
                let known = identities[
                    identityKey(of: RowID(entity: number, key: group.key(row: row)), in: origin)],
                !known.snapshot.isUnread, known.compiledEntity.declares(step.relationship, at: step.slot)
            else { continue }
            if known.snapshot.fetched?.group === group { continue }
            if step.relationship.isToMany {
                let members = known.members(step.slot, loaded: false)
                guard !members.isLoaded,
                    let ahead = group.membersReadAhead(
                        step.place, owner: group.key(row: row), generation: faulting.generation)
                else { continue }
                members.load(try self.members(ahead, origin: origin))
            } else if let end = known.destination(step.slot), end.snapshot.isUnread, !end.objectID.isTemporaryID,
                let ahead = group.destinationReadAhead(
                    step.place, key: end.objectID.key, generation: faulting.generation), let found = ahead.row
            {
                _ = try object(in: ahead.rows.group, row: found, origin: origin)
            }
        }
    }

    /// Returns the objects of members that were read ahead.
    final func members(
        _ ahead: MembersReadAhead, origin: ObjectOrigin
    ) throws -> [(object: NSManagedObject, orderKey: Int64?)] {
        try (0..<ahead.count).map { place in
            let row = ahead.row(place)
            return (try object(in: ahead.rows.group, row: row, origin: origin), ahead.rows.orderKey(row))
        }
    }
}

extension RowSet {
    /// Throws an error unless the entity of every row is in the model and allowed in these rows.
    func checkEntities(model: CompiledModel) throws {
        for row in 0..<buffer.count { _ = try checkedEntity(row: row, model: model) }
    }
}

extension CoreDataError {
    /// Whether the error reports a damaged file. Another row may still be sound.
    var isOfDamage: Bool { errorCode == CocoaError.Code.fileReadCorruptFile.rawValue }
}
