import SwormPredicates
import SwormStore

// Reading from a parent, whose objects are the rows of a child.
extension NSManagedObjectContext {
    /// Returns the object with an id in this context, read, and the row as a child sees it; nil if it does not exist, or
    /// if this context deletes it.
    ///
    /// - Throws: The error of a row that cannot be read.
    final func counterpart(of id: NSManagedObjectID) throws -> (object: NSManagedObject, committed: CommittedRow)? {
        guard let object = try existingCounterpart(of: id) else { return nil }
        return (object, try CommittedRow(childOf: object))
    }

    /// Returns the object with an id in this context; nil if it does not exist, or if this context deletes it.
    ///
    /// - Throws: The error of a row that cannot be read, which may exist.
    final func existingCounterpart(of id: NSManagedObjectID) throws -> NSManagedObject? {
        try existingCounterpart(of: id.row, in: id.origin)
    }

    /// Returns the object of a row in this context; nil if the row does not exist, or if this context deletes it.
    ///
    /// - Throws: The error of a row that cannot be read, which may exist.
    final func existingCounterpart(of row: RowID, in origin: ObjectOrigin) throws -> NSManagedObject? {
        let known = identities[identityKey(of: row, in: origin)]
        guard row.key > 0 || known != nil || nesting.parent != nil else { return nil }
        let object = known ?? self.object(for: row, origin: origin, hint: nil)
        guard object.exists else { return nil }
        do {
            try object.load()
        } catch let error as CoreDataError where error.errorCode == NSManagedObjectReferentialIntegrityError {
            return nil
        }
        guard object.exists else { return nil }
        // A changed object may have been deleted further above.
        if nesting.parent != nil, object.isUpdated, try !isInParent(object) { return nil }
        return object
    }

    /// Returns the row of an object as the parent has it; nil if the parent does not have it.
    final func rowOfParent(_ parent: NSManagedObjectContext, of object: NSManagedObject) throws -> ObjectSnapshot? {
        return try withParent(parent) {
            guard let found = try parent.counterpart(of: object.objectID) else { return nil }
            object.takeEntity(of: found.object)
            return .values(found.committed)
        }
    }

    /// Returns the objects of the parent that a request finds, including its unsaved ones, as objects of this context.
    ///
    /// A fault keeps the parent's object, and with it the row or the batch that the fetch has read, until it needs it.
    final func objectsOfParent(
        _ parent: NSManagedObjectContext, _ specification: FetchSpecification, in origin: ObjectOrigin,
        isRefreshing: Bool, reading: FetchReading
    ) throws -> [NSManagedObject] {
        let isOnly = try requireCoordinator().origins(of: specification.entity).count == 1
        let stores = isOnly ? nil : origin.store.map { [$0] }
        return try withParent(parent) {
            let above = FetchReading(
                batchSize: isRefreshing ? 0 : reading.batchSize, returnsFaults: reading.returnsFaults)
            return try parent.fetchObjects(specification, stores: stores, reading: above).map { found in
                let row = found.objectID.row
                let object = self.object(for: row, origin: found.objectID.origin, hint: nil)
                guard object.isFault || isRefreshing && !object.status.contains(.inserted) else { return object }
                object.status.remove(.inaccessible)
                object.takeEntity(of: found)
                let isCustom = type(of: object) != NSManagedObject.self
                let staysFault = object.isFault && (reading.returnsFaults || isCustom || found.snapshot.isUnread)
                if staysFault {
                    object.keepUnread(found)
                    return object
                }
                do {
                    try found.load()
                    object.replaceSnapshot(.values(try CommittedRow(childOf: found)))
                } catch let error as CoreDataError where error.isOfDamage && object.isFault {
                    // The error is that of the object, which reads its row again when it is used.
                    object.keepUnread(found)
                    return object
                }
                object.awake()
                if isRefreshing {
                    object.forgetReadRelationships()
                    noteRefresh(of: object)
                }
                return object
            }
        }
    }

    /// Reads the objects of custom classes that a request does not return as faults.
    final func readFetched(_ objects: [NSManagedObject]) throws {
        for object in objects where object.snapshot.isUnread && type(of: object) != NSManagedObject.self {
            do {
                try object.load()
            } catch let error as CoreDataError where error.isOfDamage {}
        }
    }

    /// Returns whether the parent has an object, if there is a parent.
    final func isInParent(_ object: NSManagedObject) throws -> Bool {
        guard let parent = nesting.parent else { return true }
        return try withParent(parent) {
            try parent.existingCounterpart(of: object.objectID) != nil
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
            guard let owner = try parent.existingCounterpart(of: object.objectID) else { return [] }
            let isOrdered = owner.compiledEntity.relationships[slot].isOrdered
            return try owner.readMemberObjects(slot).filter(\.exists).enumerated().map { place, member in
                let own = self.object(for: member.objectID.row, origin: member.objectID.origin, hint: nil)
                own.keepUnread(member)
                return (own, isOrdered ? Int64(place) : nil)
            }
        }
    }

    /// Returns the origin of the destination of an object. If the store of the object is not known yet, the parent's
    /// object knows the one of its destination.
    final func originOfDestination(_ row: RowID, of object: NSManagedObject, slot: Int) -> ObjectOrigin {
        guard row.key > 0, object.objectID.isTemporaryID, let parent = nesting.parent,
            let origins = try? coordinator?.origins(of: row.entity), origins.count > 1
        else { return object.objectID.origin }
        let found = withParent(parent) {
            (try? parent.existingCounterpart(of: object.objectID))?.destination(slot)?.objectID
        }
        // The id of the object may have become permanent by now.
        guard object.objectID.isTemporaryID, let found, found.row == row else { return object.objectID.origin }
        return found.origin
    }

    // MARK: Prefetching

    /// Reads the relationships that a request prefetches, in the parent and in this context.
    final func prefetchInParent(
        _ parent: NSManagedObjectContext, _ paths: [PrefetchPath], of objects: [NSManagedObject]
    ) throws {
        guard !paths.isEmpty else { return }
        try withParent(parent) {
            // The closure holds the parent's objects until this context has taken what they have read.
            var above: [NSManagedObject] = []
            try skippingDamage(objects) { object in
                if let found = try parent.existingCounterpart(of: object.objectID) { above.append(found) }
            }
            try parent.prefetch(paths, of: above)
            for path in paths {
                var owners = objects
                for step in path.steps {
                    var ends: [NSManagedObject] = []
                    var seen: Set<ObjectIdentifier> = []
                    try skippingDamage(owners) { owner in
                        for end in try takePrefetched(step, of: owner, from: parent)
                        where seen.insert(ObjectIdentifier(end)).inserted {
                            ends.append(end)
                        }
                    }
                    owners = ends
                }
            }
            withExtendedLifetime(above) {}
        }
    }

    /// Calls a closure with objects. The error of a damaged row is thrown when its object is used, which it then names.
    private final func skippingDamage(
        _ objects: [NSManagedObject], _ body: (NSManagedObject) throws -> Void
    ) throws {
        for object in objects {
            do {
                try body(object)
            } catch let error as CoreDataError where error.isOfDamage {}
        }
    }

    /// Takes a relationship that the parent has read, and returns the objects at its ends.
    private final func takePrefetched(
        _ step: PrefetchPath.Step, of owner: NSManagedObject, from parent: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let slot = step.slot
        guard owner.exists, owner.compiledEntity.declares(step.relationship, at: slot) else { return [] }
        var isUntouched = false
        if case .untouched = owner.relationshipState(slot), !owner.snapshot.isNone { isUntouched = true }
        if step.relationship.isToMany {
            if isUntouched {
                let members = ToManyMembers(isLoaded: false)
                members.load(try membersOfParent(parent, of: owner, slot: slot))
                owner.setRelationshipState(slot, to: .toMany(members))
            }
            guard case .toMany(let members) = owner.relationshipState(slot), members.isLoaded else { return [] }
            return members.objects
        }
        let above = try parent.existingCounterpart(of: owner.objectID)?.destination(slot)
        if isUntouched, owner.snapshot.isUnread {
            let end = above.flatMap { above in
                above.exists ? object(for: above.objectID.row, origin: above.objectID.origin, hint: nil) : nil
            }
            owner.setRelationshipState(slot, to: .toOne(end))
        }
        guard let end = owner.destination(slot) else { return [] }
        if let above, above.objectID == end.objectID { end.keepUnread(above) }
        return [end]
    }
}

extension NSManagedObject {
    /// Makes a fault keep the parent's object until it is read, so that what the parent has read is not read again.
    fileprivate final func keepUnread(_ above: NSManagedObject) {
        if snapshot.isUnread { snapshot = .fault(.above(above)) }
    }

    /// Gives a fault the entity of the parent's object. Its id may name another one of the hierarchy, which has other
    /// properties than the row.
    fileprivate final func takeEntity(of above: NSManagedObject) {
        guard compiledEntity.number != above.compiledEntity.number, isFault, !objectID.isTemporaryID else { return }
        take(entity: above.compiledEntity)
    }
}

extension CommittedRow {
    /// Creates the row of a parent's object as its children see it: with its unsaved changes.
    ///
    /// - Throws: The error of a value that cannot be read.
    init(childOf object: NSManagedObject) throws {
        let entity = object.compiledEntity
        version = object.snapshot.version ?? 1
        attributes = try entity.attributes.indices.map { slot in
            try entity.traits[slot].isTransient ? entity.defaultValues[slot] : object.readAttribute(slot)
        }
        toOnes = entity.relationships.indices.map { slot in
            let relationship = entity.relationships[slot]
            guard !relationship.isToMany, !relationship.isTransient else { return nil }
            return object.destination(slot).flatMap { $0.exists ? $0.objectID.row : nil }
        }
    }
}
