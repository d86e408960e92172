package import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// The rows of a fetch whose objects are made when they are first asked for. Until then values are read from the rows.
///
/// Either all rows are held, or some batches of them; then there are only the ids of the others.
///
/// An object that nobody needed yet cannot be told of a save, a merge or a refresh. After one of them the rows only say
/// which objects were found; what is in them is read anew.
///
/// It is used where its context is used.
package final class FetchedRows {
    package let context: NSManagedObjectContext
    let origin: ObjectOrigin
    private let source: Source
    private let rowGeneration: UInt64

    private enum Source {
        case whole(FetchGroup)
        case batches(RowBatches)
    }

    init(_ group: FetchGroup, _ origin: ObjectOrigin, _ context: NSManagedObjectContext) {
        source = .whole(group)
        self.origin = origin
        self.context = context
        rowGeneration = context.rowGeneration
    }

    init(_ batches: RowBatches, _ origin: ObjectOrigin, _ context: NSManagedObjectContext) {
        source = .batches(batches)
        self.origin = origin
        self.context = context
        rowGeneration = context.rowGeneration
    }

    /// Whether the rows may have another content by now. Batches are read anew then.
    fileprivate var isStale: Bool {
        guard rowGeneration != context.rowGeneration, case .whole = source else { return false }
        return true
    }

    private func identity(_ row: Int) -> RowID {
        switch source {
        case .whole(let group): RowID(entity: group.entity(row: row), key: group.key(row: row))
        case .batches(let batches): batches.identities[row]
        }
    }

    /// Where the values of a row are.
    ///
    /// - Throws: For a batch, the store's error, and one of the code `NSManagedObjectReferentialIntegrityError` when the row
    ///   has gone.
    @inline(__always)
    private func place(of row: Int) throws -> (group: FetchGroup, row: Int) {
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

    /// The id of a row's object. May be asked for at any time and on any thread.
    package func id(_ row: Int) -> NSManagedObjectID {
        let identity = identity(row)
        return NSManagedObjectID(entity: origin.compiled[identity.entity], key: identity.key, origin: origin)
    }

    /// The identity of a row's object in comparisons. May be asked for at any time and on any thread.
    package func objectKey(_ row: Int) -> ObjectKey {
        let identity = identity(row)
        return ObjectKey(
            origin: ObjectIdentifier(origin), root: origin.compiled[identity.entity].root, key: identity.key)
    }

    /// Whether some of the rows may be of objects that were inserted in this context.
    package var mayHaveNamedObjects: Bool { context.hasNamedObjects }

    /// The object of a row, if it was inserted in this context and has got its row since.
    package func namedObject(_ row: Int) -> NSManagedObject? {
        guard mayHaveNamedObjects,
            let known = context.identities[context.identityKey(identity(row), origin)], known.hasHadTemporaryID
        else { return nil }
        return known
    }

    /// The object of a row. Where the row cannot be read, it is a fault that says so when it is used.
    package func object(_ row: Int) -> NSManagedObject {
        guard !isStale, let (group, row) = try? place(of: row) else {
            return context.object(for: identity(row), origin: origin, hint: nil)
        }
        return context.object(in: group, row: row, entity: group.entity(row: row), origin: origin)
    }

    /// The object of a row, if the context knows it or the row can't speak for it any more.
    @inline(__always)
    package func neededObject(_ row: Int) -> NSManagedObject? {
        if isStale { return object(row) }
        return context.identities.isEmpty ? nil : searchObject(row)
    }

    private func searchObject(_ row: Int) -> NSManagedObject? {
        context.identities[context.identityKey(identity(row), origin)].map { $0.isFault ? object(row) : $0 }
    }

    /// The members of a row's object at the end of a to-many relationship, as rows; nil where they have to be objects.
    ///
    /// They must where the context has unsaved changes, where the members' entity has a class of its own, and where they
    /// cannot be read with those of the neighbours.
    package func members(_ row: Int, _ slot: Int) throws -> (rows: FetchedRows, members: MembersReadAhead)? {
        guard let (group, row, plan) = try placeWithoutObjects(row, slot, isToMany: true),
            let found = try context.membersReadAhead(group, row: row, slot: slot, plan, origin)
        else { return nil }
        return (found.rows.fetchedRows(origin, context), found)
    }

    /// The object at the end of a to-one relationship of a row's object, as a row, or as none; nil where it has to be an
    /// object.
    ///
    /// It must where ``members(_:_:)`` must, and where it was not prefetched and all rows are held anyway: then the object
    /// remembers where it leads, and nothing is looked for twice.
    package func destination(_ row: Int, _ slot: Int) throws -> FetchedDestination? {
        guard let (group, row, plan) = try placeWithoutObjects(row, slot, isToMany: false) else { return nil }
        guard let key = group.destination(row: row, slot: slot, entity: plan, model: origin.compiled)?.key else {
            return FetchedDestination.none
        }
        let place = plan.place(ofRelationship: slot)
        if case .batches = source,
            group.destinationReadAhead(place, key: key, generation: context.generation) == nil
        {
            do {
                try context.readDestinationsAhead(
                    group, rows: group.batch(around: row, place), slot: slot, plan.relationships[slot], origin)
                group.resizeBatches(place, isSound: true)
            } catch let error as CoreDataError where error.isOfDamage {
                group.resizeBatches(place, isSound: false)
                return nil
            }
        }
        guard let ahead = group.destinationReadAhead(place, key: key, generation: context.generation),
            let found = ahead.row
        else { return nil }
        return .row(ahead.rows.fetchedRows(origin, context), found)
    }

    /// Where a row is, if what a relationship leads to can be told from rows alone.
    private func placeWithoutObjects(
        _ row: Int, _ slot: Int, isToMany: Bool
    ) throws -> (group: FetchGroup, row: Int, plan: CompiledEntity)? {
        guard !isStale, !context.hasChanges else { return nil }
        let plan = origin.compiled[identity(row).entity]
        guard plan.relationships.indices.contains(slot), plan.relationships[slot].isToMany == isToMany,
            !plan.relationships[slot].isTransient
        else { return nil }
        for number in origin.compiled[plan.relationships[slot].destination].family
        where context.objectClass(of: origin.compiled[number]) != NSManagedObject.self { return nil }
        let (group, row) = try place(of: row)
        return (group, row, plan)
    }

    /// The value of an attribute in the row, where no object is needed for it.
    package func value(_ row: Int, _ slot: Int) throws -> AttributeValue {
        let (group, row) = try place(of: row)
        let plain = group.shape.plainCells
        if slot < plain.count, plain[slot].cell >= 0,
            let value = try? group.buffer.value(row, Int(plain[slot].cell), type: plain[slot].type)
        {
            return value
        }
        // The error of a value that is none names the attribute.
        let plan = origin.compiled[group.entity(row: row)]
        return try group.value(row: row, slot: slot, plan, origin, context)
    }
}

/// What a to-one relationship of a row leads to.
package enum FetchedDestination {
    case none
    case row(FetchedRows, Int)
}

extension RowsReadAhead {
    /// The rows for handles that need no objects.
    fileprivate func fetchedRows(_ origin: ObjectOrigin, _ context: NSManagedObjectContext) -> FetchedRows {
        if let fetched, !fetched.isStale { return fetched }
        let rows = FetchedRows(group, origin, context)
        fetched = rows
        return rows
    }
}

extension FetchGroup {
    /// The id of a row's object.
    func id(row: Int, _ origin: ObjectOrigin) -> NSManagedObjectID {
        NSManagedObjectID(entity: origin.compiled[entity(row: row)], key: key(row: row), origin: origin)
    }

    /// The value of an attribute in a row, with the content of external data if there is a context to read it.
    func value(
        row: Int, slot: Int, _ plan: CompiledEntity, _ origin: ObjectOrigin,
        _ context: @autoclosure () -> NSManagedObjectContext?
    ) throws -> AttributeValue {
        let cell = shape.cell(ofAttribute: slot, in: plan.number)
        guard cell >= 0 else { return plan.defaultValues[slot] }
        let traits = plan.traits[slot]
        guard traits.allowsExternalStorage, let context = context() else {
            do {
                return try buffer.value(row, cell, type: traits.type)
            } catch let error as CoreDataError {
                let (name, id) = (plan.attributes[slot].name, id(row: row, origin))
                throw CoreDataError(
                    error.errorCode, "“\(plan.name).\(name)” of \(id): \(error.message)", entity: plan.name, key: name,
                    objects: [id.reference], cause: error)
            }
        }
        return try context.withSession(origin) {
            try buffer.value(row, cell, of: plan.attributes[slot], in: plan, session: $0)
        }
    }
}

extension NSManagedObjectContext {
    /// The rows that a request finds, without objects for them; nil where objects must be made at once.
    ///
    /// They must where unsaved changes bear on the request, where several stores answer it, and where the entity has a class
    /// of its own, which wants to see its objects awake.
    package final func fetchRows(
        _ specification: FetchSpecification, reading: FetchReading = FetchReading()
    ) throws -> FetchedRows? {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: specification.entity)
        guard let origin = origins.first, origins.count == 1, pendingEffect(on: specification) == .none else {
            return nil
        }
        for number in origin.compiled[specification.entity].family
        where objectClass(of: origin.compiled[number]) != NSManagedObject.self { return nil }
        if reading.batchSize > 0 {
            let found = try identities(specification, in: origin)
            return FetchedRows(RowBatches(found, entity: specification.entity, reading, origin), origin, self)
        }
        let shape = self.shape(of: specification.entity, origin)
        let buffer = try withSession(origin) { try $0.rows(specification, shape: shape) }
        let group = FetchGroup(buffer: buffer, shape: shape)
        // A row of the file may carry any number. One that the model has not is an error before there are any handles.
        try group.checkEntities(model: origin.compiled)
        try prefetch(reading.prefetch, in: group, origin)
        return FetchedRows(group, origin, self)
    }
}
