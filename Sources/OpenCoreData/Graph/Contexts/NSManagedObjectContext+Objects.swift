import Foundation
package import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Inserts an object, or undoes its deletion. See ``insert(_:)``.
    final func insertObject(_ object: NSManagedObject) {
        if object.context === self {
            if object.status.contains(.deleted) { return operations.takeBackDeletion(of: object) }
            guard object.status.contains(.gone), case .none = object.snapshot else { return }
            object.status.remove(.gone)
            return insertNew(object)
        }
        guard object.context == nil, case .none = object.snapshot else {
            return noteFailure(
                CoreDataError(
                    NSCoreDataError,
                    "Cannot insert \(object.compiledEntity.name) \(object.objectID): it \(object.context == nil ? "was deleted from its store" : "belongs to another context"). Insert a new object instead.",
                    entity: object.compiledEntity.name, objects: [object.objectID.reference]))
        }
        insertNew(object)
    }

    /// Inserts a new object with its initial values.
    ///
    /// - Parameters:
    ///   - description: The entity, from the coordinator's model.
    ///   - values: The values of all attributes, by slot.
    /// - Throws: A ``CoreDataError`` if a value does not have its attribute's type. Nothing is inserted in this case.
    package final func insertObject(of description: NSEntityDescription, values: [AttributeValue]) throws
        -> NSManagedObject
    {
        let object: NSManagedObject
        if let origin, let entity = origin.compiled.entity(named: description.name ?? ""),
            entity.attributes.count == values.count, objectClass(of: entity) == NSManagedObject.self
        {
            let id = NSManagedObjectID(entity: entity, key: NSManagedObjectID.nextTemporaryKey(), origin: origin)
            object = seed.make(NSManagedObject.self, identity: id, snapshot: .none, in: self)
            object.edits = SlotValues(all: entity.defaultValues)
            insertNew(object)
        } else {
            object = NSManagedObject(entity: description, insertInto: self)
        }
        do {
            try object.setFirstValues(values)
        } catch {
            deleteObject(object)
            throw error
        }
        return object
    }

    /// Registers a new object, and lets it set its initial values if it was never inserted before.
    final func insertNew(_ object: NSManagedObject) {
        let isFirst = !object.status.contains(.begun)
        register(object)
        if isFirst { object.awakeFromInsert() }
    }

    /// Registers a new object.
    final func register(_ object: NSManagedObject) {
        if let origin, object.objectID.isTemporaryID, object.objectID.origin !== origin { adopt(object, in: origin) }
        recorder?.noteInsertion(of: object)
        if object.context !== self { object.context = self }
        object.status.remove(.gone)
        object.status.formUnion([.inserted, .begun])
        identities[temporaryKey(of: object)] = object
        insertedList.insert(object)
        object.noteInsertion()
    }

    /// Assigns an id of this context to an object that was created without a context.
    private func adopt(_ object: NSManagedObject, in origin: ObjectOrigin) {
        let own = object.compiledEntity
        guard let entity = origin.compiled.entity(named: own.name),
            entity === own
                || entity.attributes.map(\.name) == own.attributes.map(\.name)
                    && entity.relationships.map(\.name) == own.relationships.map(\.name)
        else {
            object.refusals.append(CoreDataError.unknownEntity(own.name, in: origin.compiled))
            return
        }
        object.take(id: NSManagedObjectID(entity: entity, key: object.objectID.key, origin: origin))
        object.take(entity: entity)
    }

    final func temporaryKey(of object: NSManagedObject) -> IdentityTable.Key {
        IdentityTable.Key(
            origin: ObjectIdentifier(object.objectID.origin), root: object.compiledEntity.root, key: object.objectID.key
        )
    }

    final func noteUpdated(_ object: NSManagedObject) { updatedList.insert(object) }

    /// Marks an object to be deleted. See ``delete(_:)``.
    final func deleteObject(_ object: NSManagedObject) {
        // Use a list instead of recursion, because a cascade may be as deep as the graph.
        var waiting = [object]
        if let other = object.context, other !== self {
            return noteFailure(
                CoreDataError(
                    NSCoreDataError,
                    "Cannot delete \(object.compiledEntity.name) \(object.objectID): it belongs to another context. Fetch the object by its id in this context, and delete that one.",
                    entity: object.compiledEntity.name, objects: [object.objectID.reference]))
        }
        while let next = waiting.popLast() {
            guard next.context === self, !next.status.contains(.deleted), !next.status.contains(.gone) else { continue }
            next.prepareForDeletion()
            recorder?.noteDeletion(of: next)
            let wasInserted = next.status.contains(.inserted)
            // Keeps the unsaved values, in case the deletion is taken back in the same event.
            if next.status.contains(.updated) { next.noteChange() }
            next.status.remove(.updated)
            next.status.insert(.deleted)
            updatedList.remove(next)
            if !wasInserted {
                deletedList.insert(next)
            } else if !next.status.contains(.fresh) {
                pendingEvent.noteDeletion(of: next)
            }
            waiting += operations.applyDeleteRules(of: next)
            if wasInserted {
                forgetInserted(next)
                next.detach()
                next.status.insert(.gone)
            }
        }
    }

    /// Discards an inserted object that will never be saved.
    final func forgetInserted(_ object: NSManagedObject) {
        object.status.subtract([.deleted, .inserted, .updated])
        object.status.insert(.gone)
        insertedList.remove(object)
        if identities[temporaryKey(of: object)] === object { identities[temporaryKey(of: object)] = nil }
        saving.forgetStore(of: object)
        // Break reference cycles between objects that hold each other.
        object.relationships = []
        object.changedRelationships.removeAll()
    }

    /// Returns the object with an id if the context has registered it.
    final func knownObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        guard let (row, origin) = locate(objectID) else { return nil }
        return identities[identityKey(of: row, in: origin)]
    }

    /// Returns the object with an id, which may be a fault. See ``object(with:)``.
    final func objectOrFault(with objectID: NSManagedObjectID) -> NSManagedObject {
        if let known = knownObject(for: objectID) { return known }
        // The object may be registered by the other one of its ids.
        adoptPromotions()
        if nesting.parent != nil, let known = knownObject(for: objectID) { return known }
        let named = locate(objectID) ?? (objectID.row, objectID.origin)
        let located = resolved(named.0, in: named.1)
        let object = makeObject(located.row, origin: located.origin, snapshot: .fault(nil))
        // An id of a store that does not belong to this context's coordinator must not resolve to a row.
        if objectID.isTemporaryID && nesting.parent == nil || locate(objectID) == nil {
            object.status.insert(.inaccessible)
        }
        identities[identityKey(of: located.row, in: located.origin)] = object
        return object
    }

    /// Returns the object with an id, after reading its row. See ``existingObject(with:)``.
    final func readObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        let mayExist =
            objectID.isTemporaryID && nesting.parent == nil
            ? knownObject(for: objectID) != nil : locate(objectID) != nil
        guard mayExist else {
            throw CoreDataError(
                NSManagedObjectReferentialIntegrityError,
                "There is no object \(objectID) in the stores of this context.", entity: objectID.compiledEntity.name,
                objects: [objectID.reference])
        }
        let object = objectOrFault(with: objectID)
        try object.load()
        if object.status.contains(.deleted) {
            throw CoreDataError(
                NSManagedObjectReferentialIntegrityError, "The object \(objectID) is deleted in this context.",
                entity: objectID.compiledEntity.name, objects: [objectID.reference])
        }
        return object
    }

    /// Returns the row and the origin that an id identifies in this context's coordinator.
    final func locate(_ id: NSManagedObjectID) -> (RowID, ObjectOrigin)? {
        guard let coordinator = currentCoordinator else { return nil }
        if id.isTemporaryID {
            guard id.origin === coordinator.temporaryOrigin, id.compiledEntity.number > 0 else { return nil }
            return (id.row, id.origin)
        }
        if let store = id.origin.store, store.persistentStoreCoordinator === coordinator { return (id.row, id.origin) }
        guard let origin = coordinator.origin(withIdentifier: id.origin.storeIdentifier),
            let entity = origin.compiled.entity(named: id.compiledEntity.name)
        else { return nil }
        return (RowID(entity: entity.number, key: id.key), origin)
    }

    /// Returns the id of a plain identity in this context's coordinator, or nil if no store has it.
    package final func managedObjectID(for reference: ObjectReference) -> NSManagedObjectID? {
        guard let coordinator else { return nil }
        guard let identifier = reference.storeIdentifier else {
            guard let entity = coordinator.compiledModel.entity(named: reference.entityName) else { return nil }
            return NSManagedObjectID(entity: entity, key: reference.key, origin: coordinator.temporaryOrigin)
        }
        guard let origin = coordinator.origin(withIdentifier: identifier),
            let entity = origin.compiled.entity(named: reference.entityName)
        else { return nil }
        return NSManagedObjectID(entity: entity, key: reference.key, origin: origin)
    }

    /// Assigns a permanent id to an object and registers the object under it.
    final func promote(_ object: NSManagedObject, to key: Int64, origin: ObjectOrigin) {
        let entity = origin.compiled[object.compiledEntity.number]
        let temporary = object.objectID.row
        defer { note(Nesting.Promotion(temporary: temporary, id: object.objectID)) }
        object.take(id: NSManagedObjectID(entity: entity, key: key, origin: origin))
        identities[identityKey(of: object.objectID.row, in: origin)] = object
    }
}
