package import SwormPredicates
import SwormSQLite

/// The rows of a fetch whose objects are made when they are first asked for. Until then values are read from the rows.
///
/// An object that nobody needed yet cannot be told of a save, a merge or a refresh. After one of them the rows only say
/// which objects were found; what is in them is read anew.
///
/// It is used where its context is used.
package final class FetchedRows {
    package let context: NSManagedObjectContext
    let group: FetchGroup
    let origin: ObjectOrigin
    private let rowGeneration: UInt64

    init(_ group: FetchGroup, _ origin: ObjectOrigin, _ context: NSManagedObjectContext) {
        self.group = group
        self.origin = origin
        self.context = context
        rowGeneration = context.rowGeneration
    }

    /// Whether the rows may have another content by now.
    private var isStale: Bool { rowGeneration != context.rowGeneration }

    private func identity(_ row: Int) -> SaveRequest.Row {
        SaveRequest.Row(entity: group.entity(row: row), key: group.key(row: row))
    }

    package var count: Int { group.buffer.count }

    /// The id of a row's object. May be asked for at any time and on any thread.
    package func id(_ row: Int) -> NSManagedObjectID { group.id(row: row, origin) }

    /// The object of a row.
    package func object(_ row: Int) -> NSManagedObject {
        if isStale { return context.object(for: identity(row), origin: origin, hint: nil) }
        return context.object(in: group, row: row, entity: group.entity(row: row), origin: origin)
    }

    /// The object of a row, if the context knows it or the row can't speak for it any more.
    @inline(__always)
    package func neededObject(_ row: Int) -> NSManagedObject? {
        if isStale { return object(row) }
        return context.identities.isEmpty ? nil : searchObject(row)
    }

    private func searchObject(_ row: Int) -> NSManagedObject? {
        context.identities[context.identityKey(identity(row), origin)].map { _ in object(row) }
    }

    /// The members of a row's object at the end of a to-many relationship, as rows; nil where they have to be objects.
    ///
    /// They must where the context has unsaved changes, where the members' entity has a class of its own, and where they
    /// cannot be read with those of the neighbours.
    package func members(_ row: Int, _ slot: Int) throws -> (rows: FetchedRows, members: MembersReadAhead)? {
        guard !isStale, !context.hasChanges else { return nil }
        let plan = origin.compiled[group.entity(row: row)]
        guard plan.relationships.indices.contains(slot), plan.relationships[slot].isToMany,
            !plan.relationships[slot].isTransient
        else { return nil }
        for number in origin.compiled[plan.relationships[slot].destination].family
        where context.objectClass(of: origin.compiled[number]) != NSManagedObject.self { return nil }
        guard let found = try context.membersReadAhead(group, row: row, slot: slot, plan, origin) else { return nil }
        if let rows = found.rows.fetched, !rows.isStale { return (rows, found) }
        let rows = FetchedRows(found.rows.group, origin, context)
        found.rows.fetched = rows
        return (rows, found)
    }

    /// The value of an attribute in the row, where no object is needed for it.
    package func value(_ row: Int, _ slot: Int) throws -> AttributeValue {
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
    package final func fetchRows(_ specification: FetchSpecification) throws -> FetchedRows? {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: specification.entity)
        guard let origin = origins.first, origins.count == 1, pendingEffect(on: specification) == .none else {
            return nil
        }
        for number in origin.compiled[specification.entity].family
        where objectClass(of: origin.compiled[number]) != NSManagedObject.self { return nil }
        let shape = self.shape(of: specification.entity, origin)
        let buffer = try withSession(origin) { try $0.rows(specification, shape: shape) }
        let group = FetchGroup(buffer: buffer, shape: shape)
        // A row of the file may carry any number. One that the model has not is an error before there are any handles.
        for row in 0..<buffer.count { _ = try group.checkedEntity(row: row, model: origin.compiled) }
        return FetchedRows(group, origin, self)
    }
}
