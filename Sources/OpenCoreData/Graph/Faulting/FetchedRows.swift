package import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// The rows of a fetch whose objects are created lazily. Until then, values are read from the rows.
///
/// Either all rows are in memory, or only some batches of them; then only the ids of the other rows are in memory.
///
/// An object that does not exist yet cannot be updated by a save, a merge or a refresh. After one of these, the rows
/// only determine which objects were found; their content is read again.
///
/// An instance may only be used where its context may be used.
package final class FetchedRows {
    let context: NSManagedObjectContext
    let origin: ObjectOrigin
    private let source: Source
    private let rowGeneration: UInt64

    private enum Source {
        case whole(RowSet)
        case batches(RowBatches)
    }

    init(_ group: RowSet, origin: ObjectOrigin, context: NSManagedObjectContext) {
        source = .whole(group)
        self.origin = origin
        self.context = context
        rowGeneration = context.faulting.rowGeneration
    }

    init(_ batches: RowBatches, origin: ObjectOrigin, context: NSManagedObjectContext) {
        source = .batches(batches)
        self.origin = origin
        self.context = context
        rowGeneration = context.faulting.rowGeneration
    }

    /// Whether the content of the rows may have changed. Batches are then read again.
    fileprivate var isStale: Bool {
        guard rowGeneration != context.faulting.rowGeneration, case .whole = source else { return false }
        return true
    }

    private func identity(_ row: Int) -> RowID {
        switch source {
        case .whole(let group): RowID(entity: group.entity(row: row), key: group.key(row: row))
        case .batches(let batches): batches.identities[row]
        }
    }

    /// Returns the group and the index that contain the values of a row.
    ///
    /// - Throws: For a batch, the store's error, and an error with the code `NSManagedObjectReferentialIntegrityError`
    ///   if the row no longer exists.
    @inline(__always)
    private func place(of row: Int) throws -> (group: RowSet, row: Int) {
        switch source {
        case .whole(let group): (group, row)
        case .batches(let batches): try batches.row(row, in: context)
        }
    }

    package var count: Int {
        switch source {
        case .whole(let group): group.buffer.count
        case .batches(let batches): batches.identities.count
        }
    }

    /// Returns the id of a row's object. May be called at any time and on any thread.
    package func id(_ row: Int) -> NSManagedObjectID {
        let identity = identity(row)
        return NSManagedObjectID(entity: origin.compiled[identity.entity], key: identity.key, origin: origin)
    }

    /// Returns the number of the entity of a row's object.
    package func entityNumber(_ row: Int) -> Int { identity(row).entity }

    /// Returns the identity of a row's object for comparisons. May be called at any time and on any thread.
    package func objectKey(_ row: Int) -> ObjectKey {
        let identity = identity(row)
        return ObjectKey(
            origin: ObjectIdentifier(origin), root: origin.compiled[identity.entity].root, key: identity.key)
    }

    /// Whether some of the rows may belong to objects that were inserted in this context.
    package var mayHaveNamedObjects: Bool { context.hasNamedObjects }

    /// Returns the object of a row if it was inserted in this context and has been saved since.
    package func namedObject(_ row: Int) -> NSManagedObject? {
        guard mayHaveNamedObjects,
            let known = context.identities[context.identityKey(of: identity(row), in: origin)], known.hasHadTemporaryID
        else { return nil }
        return known
    }

    /// Returns the object of a row. If the row cannot be read, the object is a fault that reports the error when it is
    /// used.
    package func object(_ row: Int) -> NSManagedObject {
        guard !isStale, let (group, row) = try? place(of: row) else {
            return context.object(for: identity(row), origin: origin, hint: nil)
        }
        return context.object(in: group, row: row, entity: group.entity(row: row), origin: origin)
    }

    /// Returns the object of a row if the context has registered it or the row's values are out of date.
    @inline(__always)
    package func neededObject(_ row: Int) -> NSManagedObject? {
        if isStale { return object(row) }
        return context.identities.isEmpty ? nil : searchObject(row)
    }

    private func searchObject(_ row: Int) -> NSManagedObject? {
        context.identities[context.identityKey(of: identity(row), in: origin)].map { $0.isFault ? object(row) : $0 }
    }

    /// Returns the members of a row's object at the end of a to-many relationship as rows, or nil if objects are
    /// required.
    ///
    /// Objects are required if the context has unsaved changes, if the members' entity has a custom class, or if the
    /// members cannot be read together with those of the neighbours.
    package func members(row: Int, slot: Int) throws -> (rows: FetchedRows, members: MembersReadAhead)? {
        guard let (group, row, compiledEntity) = try placeWithoutObjects(row: row, slot: slot, isToMany: true),
            let found = try context.membersReadAhead(
                group, row: row, slot: slot, entity: compiledEntity, origin: origin)
        else { return nil }
        return (found.rows.fetchedRows(origin: origin, context: context), found)
    }

    /// Returns the object at the end of a to-one relationship of a row's object as a row or as none, or nil if an
    /// object is required.
    ///
    /// An object is required in the cases that ``members(_:_:)`` lists. It is also required if the relationship was not
    /// prefetched and all rows are in memory: the object then remembers its destination, and nothing is looked up
    /// twice.
    package func destination(row: Int, slot: Int) throws -> FetchedDestination? {
        guard let (group, row, compiledEntity) = try placeWithoutObjects(row: row, slot: slot, isToMany: false) else {
            return nil
        }
        guard let key = group.destination(row: row, slot: slot, entity: compiledEntity, model: origin.compiled)?.key
        else {
            return FetchedDestination.none
        }
        let place = compiledEntity.place(ofRelationship: slot)
        if case .batches = source,
            group.destinationReadAhead(place, key: key, generation: context.faulting.generation) == nil
        {
            do {
                try context.readDestinationsAhead(
                    group, rows: group.batch(around: row, place), slot: slot,
                    relationship: compiledEntity.relationships[slot], origin: origin
                )
                group.resizeBatches(place, isSound: true)
            } catch let error as CoreDataError where error.isOfDamage {
                group.resizeBatches(place, isSound: false)
                return nil
            }
        }
        guard let ahead = group.destinationReadAhead(place, key: key, generation: context.faulting.generation),
            let found = ahead.row
        else { return nil }
        return .row(ahead.rows.fetchedRows(origin: origin, context: context), found)
    }

    /// Returns the group and the index of a row if the destinations of a relationship can be determined from rows
    /// alone.
    private func placeWithoutObjects(
        row: Int, slot: Int, isToMany: Bool
    ) throws -> (group: RowSet, row: Int, compiledEntity: CompiledEntity)? {
        guard !isStale, !context.hasChanges else { return nil }
        let compiledEntity = origin.compiled[identity(row).entity]
        guard compiledEntity.relationships.indices.contains(slot),
            compiledEntity.relationships[slot].isToMany == isToMany,
            !compiledEntity.relationships[slot].isTransient
        else { return nil }
        for number in origin.compiled[compiledEntity.relationships[slot].destination].family
        where context.objectClass(of: origin.compiled[number]) != NSManagedObject.self { return nil }
        let (group, row) = try place(of: row)
        return (group, row, compiledEntity)
    }

    /// Returns the value of an attribute in the row, if no object is required for it.
    package func value(row: Int, slot: Int) throws -> AttributeValue {
        let (group, row) = try place(of: row)
        let plain = group.shape.plainCells
        if slot < plain.count, plain[slot].cell >= 0,
            let value = try? group.buffer.value(row: row, cell: Int(plain[slot].cell), type: plain[slot].type)
        {
            return value
        }
        // This path throws an error that names the attribute if the value is invalid.
        let compiledEntity = origin.compiled[group.entity(row: row)]
        return try group.value(row: row, slot: slot, entity: compiledEntity, origin: origin, context: context)
    }
}

/// The destination of a to-one relationship of a row.
package enum FetchedDestination {
    case none
    case row(FetchedRows, Int)
}

extension RowsReadAhead {
    /// Returns the rows for handles that do not require objects.
    fileprivate func fetchedRows(origin: ObjectOrigin, context: NSManagedObjectContext) -> FetchedRows {
        if let fetched, !fetched.isStale { return fetched }
        let rows = FetchedRows(group, origin: origin, context: context)
        fetched = rows
        return rows
    }
}

extension RowSet {
    /// Returns the id of a row's object.
    func id(row: Int, _ origin: ObjectOrigin) -> NSManagedObjectID {
        NSManagedObjectID(entity: origin.compiled[entity(row: row)], key: key(row: row), origin: origin)
    }

    /// Returns the value of an attribute in a row. External data is read if there is a context to read it with.
    func value(
        row: Int, slot: Int, entity compiledEntity: CompiledEntity, origin: ObjectOrigin,
        context: @autoclosure () -> NSManagedObjectContext?
    ) throws -> AttributeValue {
        let cell = shape.cell(ofAttribute: slot, in: compiledEntity.number)
        guard cell >= 0 else { return compiledEntity.defaultValues[slot] }
        let traits = compiledEntity.traits[slot]
        guard traits.allowsExternalStorage, let context = context() else {
            do {
                return try buffer.value(row: row, cell: cell, type: traits.type)
            } catch let error as CoreDataError {
                let (name, id) = (compiledEntity.attributes[slot].name, id(row: row, origin))
                throw CoreDataError(
                    error.errorCode, "'\(compiledEntity.name).\(name)' of \(id): \(error.message)",
                    entity: compiledEntity.name, key: name,
                    objects: [id.reference], cause: error)
            }
        }
        return try context.withSession(of: origin) {
            try buffer.value(row: row, cell: cell, of: compiledEntity.attributes[slot], in: compiledEntity, session: $0)
        }
    }
}
