import Foundation
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

// Access of objects to rows: identity, faults, and the members of relationships.
extension NSManagedObjectContext {
    final func identityKey(of row: RowID, in origin: ObjectOrigin) -> IdentityTable.Key {
        // The row of a child may have a destination that was not saved yet.
        if isElsewhere(row, than: origin) { return unsavedIdentityKey(of: row, in: origin) }
        return IdentityTable.Key(
            origin: ObjectIdentifier(origin), root: origin.compiled[row.entity].root, key: row.key)
    }

    private final func unsavedIdentityKey(of row: RowID, in origin: ObjectOrigin) -> IdentityTable.Key {
        let (row, origin) = resolved(row, in: origin)
        return IdentityTable.Key(
            origin: ObjectIdentifier(origin), root: origin.compiled[row.entity].root, key: row.key)
    }

    /// Returns the object for a row: the registered object, or a new fault.
    final func object(for row: RowID, origin: ObjectOrigin, hint: FaultHint?) -> NSManagedObject {
        let key = identityKey(of: row, in: origin)
        if let known = identities[key] { return known }
        let (row, origin) = resolved(row, in: origin)
        let object = makeObject(row, origin: origin, snapshot: .fault(hint))
        identities[key] = object
        return object
    }

    /// Creates an object for a row that has no registered object.
    final func makeObject(_ row: RowID, origin: ObjectOrigin, snapshot: ObjectSnapshot) -> NSManagedObject {
        let entity = origin.compiled[row.entity]
        let id = NSManagedObjectID(entity: entity, key: row.key, origin: origin)
        return seed.make(objectClass(of: entity), identity: id, snapshot: snapshot, in: self)
    }

    /// Returns the object for a row of a fetch: the registered object, which adopts the row's values if it is a fault,
    /// or a new one.
    ///
    /// - Parameters:
    ///   - isRefreshing: Whether a registered object always adopts the row's values. Unsaved changes are preserved.
    ///   - isFault: Whether the object is a fault until a property is read. An object of a custom class always is,
    ///     because its `awakeFromFetch` runs when the fault fires.
    final func object(
        in group: RowSet, row: Int, origin: ObjectOrigin, isRefreshing: Bool = false, isFault: Bool = false
    ) throws -> NSManagedObject {
        let number = try group.checkedEntity(row: row, model: origin.compiled)
        return object(
            in: group, row: row, entity: number, origin: origin, isRefreshing: isRefreshing, isFault: isFault)
    }

    /// Returns the object for a row of a fetch whose entity number was already checked.
    final func object(
        in group: RowSet, row: Int, entity number: Int, origin: ObjectOrigin, isRefreshing: Bool = false,
        isFault: Bool = false
    ) -> NSManagedObject {
        let identity = RowID(entity: number, key: group.key(row: row))
        let key = identityKey(of: identity, in: origin)
        if let known = identities[key] {
            guard known.isFault || isRefreshing && !known.status.contains(.inserted) else { return known }
            if known.compiledEntity.number != number { known.take(entity: origin.compiled[number]) }
            // A row that was not found earlier exists now.
            known.status.remove(.inaccessible)
            let staysFault = known.isFault && (isFault || type(of: known) != NSManagedObject.self)
            known.replaceSnapshot(staysFault ? .unfired(group, row) : .row(group, row))
            if isRefreshing {
                known.forgetReadRelationships()
                noteRefresh(of: known)
            }
            if !staysFault { known.awake() }
            return known
        }
        let isCustom = objectClass(of: origin.compiled[number]) != NSManagedObject.self
        let object = makeObject(
            identity, origin: origin, snapshot: isFault || isCustom ? .unfired(group, row) : .row(group, row))
        identities[key] = object
        return object
    }

    /// Reads the row of a fault together with the rows of its neighbours.
    ///
    /// A row that was read before is used first: one that the read of another fault has left here, then one that is
    /// stored beside the rows of the fetch whose relationship has led to the fault. Only then, a statement reads the
    /// fault and those neighbours of which nothing is known yet.
    final func readRow(of object: NSManagedObject, hint: FaultHint?) throws -> ObjectSnapshot? {
        if let parent = nesting.parent { return try operations.rowOfParent(parent, of: object) }
        let origin = object.objectID.origin
        let own = object.objectID.row
        let ownKey = identityKey(of: own, in: origin)
        if let ahead = faulting.takeRow(of: ownKey, entity: own.entity), !isStale(ahead.group) {
            return .row(ahead.group, ahead.row)
        }
        let source = hint?.source(origin.compiled)
        if let source,
            let ahead = source.group.destinationReadAhead(source.place, key: own.key, generation: faulting.generation),
            let row = ahead.row, !isStale(ahead.rows.group)
        {
            let number = ahead.rows.group.entity(row: row)
            if object.compiledEntity.number != number, object.isFault { object.take(entity: origin.compiled[number]) }
            return .row(ahead.rows.group, row)
        }
        guard !object.objectID.isTemporaryID else { return nil }
        var keys = [own.key]
        var entity = own.entity
        if let wider = neighbours(of: own, hint: hint, origin: origin) {
            keys = wider.keys
            entity = wider.entity
        }
        let group: RowSet
        do {
            group = try readRows(keys, entity: entity, origin: origin)
            if let source { source.group.resizeBatches(source.place, isSound: true) }
        } catch  where keys.count > 1 {
            // An error in a neighbour's row must not affect this object, so read its row alone.
            if let source { source.group.resizeBatches(source.place, isSound: false) }
            group = try readRows([own.key], entity: own.entity, origin: origin)
        }
        faulting.makeRoom()
        var found: ObjectSnapshot?
        for row in 0..<group.buffer.count {
            let key = group.key(row: row)
            if key == own.key {
                let number = try group.checkedEntity(row: row, model: origin.compiled)
                guard origin.compiled[own.entity].family.contains(number) else { continue }
                if object.compiledEntity.number != number, object.isFault {
                    object.take(entity: origin.compiled[number])
                }
                found = .row(group, row)
            } else if let number = try? group.checkedEntity(row: row, model: origin.compiled) {
                faulting.keep(group, row: row, for: identityKey(of: RowID(entity: number, key: key), in: origin))
            }
        }
        if case .member(let members, _) = hint { try prefetch(members.reading.prefetch, in: group, origin: origin) }
        return found
    }

    /// Returns the rows with the given keys, in one group.
    final func readRows(_ keys: [Int64], entity: Int, origin: ObjectOrigin) throws -> RowSet {
        let shape = self.shape(of: entity, origin)
        let buffer = try withSession(of: origin) { try $0.rows(withKeys: keys, shape: shape) }
        return RowSet(buffer: buffer, shape: shape, readAt: timeOfReading)
    }

    /// Returns the keys of a fault and of the faults that are likely to be used next.
    private func neighbours(
        of own: RowID, hint: FaultHint?, origin: ObjectOrigin
    ) -> (keys: [Int64], entity: Int)? {
        var candidates: [Int64] = []
        let entity: Int
        switch hint {
        case nil, .above?: return nil
        case .member(let members, let index):
            entity = members.entity
            candidates = Array(members.keys[index..<min(members.keys.count, index + members.reading.batchSize)])
        case .destination(let group, _, let slot):
            guard let source = hint?.source(origin.compiled) else { return nil }
            let followed = source.compiledEntity.relationships[slot]
            entity = followed.destination
            for row in group.batch(around: source.row, source.place) {
                let number = group.entity(row: row)
                guard group.shape.covers(number) else { continue }
                let compiledEntity = origin.compiled[number]
                guard compiledEntity.declares(followed, at: slot),
                    let destination = group.destination(
                        row: row, slot: slot, entity: compiledEntity, model: origin.compiled)
                else { continue }
                candidates.append(destination.key)
            }
        }
        guard origin.compiled[entity].family.contains(own.entity) else { return nil }
        var seen: Set<Int64> = [own.key]
        var keys = [own.key]
        let root = origin.compiled[entity].root
        for key in candidates where seen.insert(key).inserted {
            let identity = IdentityTable.Key(origin: ObjectIdentifier(origin), root: root, key: key)
            if let known = identities[identity], !known.isFault || known.snapshot.isUnfired { continue }
            if faulting.hasRow(of: identity) { continue }
            keys.append(key)
        }
        return (keys, entity)
    }

    /// Reads the members of a to-many relationship together with those of its owner's neighbours.
    ///
    /// - Returns: The members, or nil if they cannot be read; the context records the error.
    final func readMembers(of object: NSManagedObject, slot: Int) -> [(object: NSManagedObject, orderKey: Int64?)]? {
        do {
            return try loadMembers(of: object, slot: slot)
        } catch {
            noteReadError(error, of: object, property: object.compiledEntity.relationships[slot].name)
            return nil
        }
    }

    /// Reads the members like `readMembers`, but throws the store's error.
    final func loadMembers(
        of object: NSManagedObject, slot: Int
    ) throws -> [(object: NSManagedObject, orderKey: Int64?)] {
        if let parent = nesting.parent { return try operations.membersOfParent(parent, of: object, slot: slot) }
        guard !object.objectID.isTemporaryID else { return [] }
        let origin = object.objectID.origin
        if let (group, row) = object.snapshot.fetched,
            let ahead = try membersReadAhead(group, row: row, slot: slot, entity: object.compiledEntity, origin: origin)
        {
            return try members(ahead, origin: origin)
        }
        let found = try withSession(of: origin) {
            try $0.members(ofRelationship: slot, entity: object.compiledEntity.number, owners: [object.objectID.key])
        }
        let batch = MemberKeys(
            keys: found.map(\.destination.key), entity: object.compiledEntity.relationships[slot].destination)
        return found.enumerated().map { place, member in
            (self.object(for: member.destination, origin: origin, hint: batch.hint(at: place)), member.orderKey)
        }
    }

    final func shape(of entity: Int, _ origin: ObjectOrigin) -> RowShape {
        faulting.shape(of: entity, in: origin.compiled)
    }

    /// Records an error that an accessor could not throw.
    ///
    /// - Parameters:
    ///   - object: The object that was read; nil if it is not known.
    ///   - property: The name of the property that was read.
    final func noteReadError(_ error: any Error, of object: NSManagedObject? = nil, property: String? = nil) {
        if (error as? CoreDataError)?.errorCode == NSManagedObjectReferentialIntegrityError {
            // A deleted row is not an error of the store: its object counts as deleted.
            let isHandled = object.map { object in
                shouldHandleInaccessibleFault(
                    object, for: object.objectID,
                    triggeredByProperty: property.flatMap { object.entity.propertiesByName[$0] })
            }
            if isHandled ?? shouldDeleteInaccessibleFaults { return }
        }
        noteFailure(error)
    }

    /// Records an error in code that cannot throw. The next save or fetch throws it.
    final func noteFailure(_ error: any Error) { faulting.note(error) }

    /// Throws the error that was recorded in code that cannot throw.
    final func throwReadError() throws {
        guard let failure = faulting.failure else { return }
        faulting.resetFailure()
        throw failure
    }

    /// Discards everything that was read ahead, because it does not reflect a later write.
    ///
    /// - Parameter rowsStand: Whether the rows themselves are still valid, because only unsaved changes were discarded.
    final func forgetReadAhead(rowsStand: Bool = false) {
        faulting.forget(rowsStand: rowsStand)
    }
}

extension RowSet {
    /// Returns the entity of a row.
    ///
    /// - Throws: A ``CoreDataError`` if the row's entity does not belong to its table, or if its key is not a valid key
    ///   of Core Data.
    func checkedEntity(row: Int, model: CompiledModel) throws -> Int {
        let number = buffer.int64(row: row, cell: RowShape.entityCell)
        // Keys start at 1. Lower keys identify objects that are not saved yet.
        guard key(row: row) > 0 else { throw CoreDataError.wrongKey(key(row: row), in: model[shape.entity].name) }
        if let entity = model.entity(numbered: number), shape.covers(entity.number) { return entity.number }
        throw CoreDataError.wrongEntity(ofRow: key(row: row), number: number, in: model[shape.entity].name)
    }
}

extension RowShape {
    /// Returns whether the shape has cells for the properties of an entity.
    func covers(_ number: Int) -> Bool { number >= entity && number - entity < memberCount }
}
