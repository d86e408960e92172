import SwormPredicates
import SwormStore

// Reading from a parent, whose objects are the rows of a child.
extension NSManagedObjectContext {
    /// Returns the object with an id in this context, read, and the row as a child sees it; nil if it does not exist, or
    /// if this context deletes it.
    final func counterpart(of id: NSManagedObjectID) -> (object: NSManagedObject, committed: CommittedRow)? {
        guard let object = existingCounterpart(of: id) else { return nil }
        return (object, CommittedRow(childOf: object))
    }

    /// Returns the object with an id in this context; nil if it does not exist, or if this context deletes it.
    final func existingCounterpart(of id: NSManagedObjectID) -> NSManagedObject? {
        existingCounterpart(of: id.row, in: id.origin)
    }

    /// Returns the object of a row in this context; nil if the row does not exist, or if this context deletes it.
    final func existingCounterpart(of row: RowID, in origin: ObjectOrigin) -> NSManagedObject? {
        let known = identities[identityKey(of: row, in: origin)]
        guard row.key > 0 || known != nil || nesting.parent != nil else { return nil }
        let object = known ?? self.object(for: row, origin: origin, hint: nil)
        guard object.exists, (try? object.load()) != nil, object.exists else { return nil }
        // A changed object may have been deleted further above.
        if nesting.parent != nil, object.isUpdated, (try? isInParent(object)) != true { return nil }
        return object
    }

    /// Returns the row of an object as the parent has it; nil if the parent does not have it.
    final func rowOfParent(_ parent: NSManagedObjectContext, of object: NSManagedObject) throws -> ObjectSnapshot? {
        return try withParent(parent) {
            guard let found = parent.counterpart(of: object.objectID) else {
                try parent.throwReadError()
                return nil
            }
            if found.object.compiledEntity.number != object.compiledEntity.number, object.isFault,
                !object.objectID.isTemporaryID
            {
                object.take(entity: found.object.compiledEntity)
            }
            return .values(found.committed)
        }
    }

    /// Returns the objects of the parent that a request finds, including its unsaved ones, as objects of this context.
    final func objectsOfParent(
        _ parent: NSManagedObjectContext, _ specification: FetchSpecification, in origin: ObjectOrigin,
        isRefreshing: Bool, areFaults: Bool
    ) throws -> [NSManagedObject] {
        let isOnly = try requireCoordinator().origins(of: specification.entity).count == 1
        let stores = isOnly ? nil : origin.store.map { [$0] }
        return try withParent(parent) {
            try parent.fetchObjects(specification, stores: stores).map { found in
                let row = found.objectID.row
                let object = self.object(for: row, origin: found.objectID.origin, hint: nil)
                guard object.isFault || isRefreshing && !object.status.contains(.inserted) else { return object }
                object.status.remove(.inaccessible)
                let staysFault = object.isFault && (areFaults || type(of: object) != NSManagedObject.self)
                if staysFault, object.snapshot.isUnread { return object }
                try found.load()
                object.replaceSnapshot(.values(CommittedRow(childOf: found)))
                if isRefreshing {
                    object.forgetReadRelationships()
                    noteRefresh(of: object)
                }
                return object
            }
        }
    }

    /// Returns whether the parent has an object, if there is a parent.
    final func isInParent(_ object: NSManagedObject) throws -> Bool {
        guard let parent = nesting.parent else { return true }
        return try withParent(parent) {
            let isPresent = parent.existingCounterpart(of: object.objectID) != nil
            try parent.throwReadError()
            return isPresent
        }
    }

    /// Returns the number of the parent's objects that a request finds.
    final func countOfParent(
        _ parent: NSManagedObjectContext, _ specification: FetchSpecification, stores: [NSPersistentStore]?
    ) throws -> Int {
        return try withParent(parent) { try parent.count(specification, stores: stores) }
    }

    /// Returns the members of a relationship as the parent has them.
    final func membersOfParent(
        _ parent: NSManagedObjectContext, of object: NSManagedObject, slot: Int
    ) throws -> [(object: NSManagedObject, orderKey: Int64?)] {
        return try withParent(parent) {
            guard let owner = parent.existingCounterpart(of: object.objectID) else { return [] }
            let isOrdered = owner.compiledEntity.relationships[slot].isOrdered
            return try owner.readMemberObjects(slot).filter(\.exists).enumerated().map { place, member in
                let own = self.object(for: member.objectID.row, origin: member.objectID.origin, hint: nil)
                return (own, isOrdered ? Int64(place) : nil)
            }
        }
    }

    /// Reads the relationships of the parent's objects that a request prefetches.
    final func prefetchInParent(
        _ parent: NSManagedObjectContext, _ paths: [PrefetchPath], of objects: [NSManagedObject]
    ) throws {
        guard !paths.isEmpty else { return }
        try withParent(parent) {
            try parent.prefetch(paths, of: objects.compactMap { parent.existingCounterpart(of: $0.objectID) })
        }
    }
}

extension CommittedRow {
    /// Creates the row of a parent's object as its children see it: with its unsaved changes.
    init(childOf object: NSManagedObject) {
        let entity = object.compiledEntity
        version = object.snapshot.version ?? 1
        attributes = entity.attributes.indices.map { slot in
            entity.traits[slot].isTransient ? entity.defaultValues[slot] : object.attribute(slot)
        }
        toOnes = entity.relationships.indices.map { slot in
            let relationship = entity.relationships[slot]
            guard !relationship.isToMany, !relationship.isTransient else { return nil }
            return object.destination(slot).flatMap { $0.exists ? $0.objectID.row : nil }
        }
    }
}
