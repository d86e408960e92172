import SwormPredicates
import SwormStore

/// The save of a child, which makes its changes those of its parent's objects.
///
/// The values that the child has changed replace those of the parent, whatever the parent has changed in the meantime. There
/// is a conflict only if the parent has deleted an object that the child has changed; the child's merge policy decides.
/// An error leaves both contexts as they were.
struct ParentSave {
    let context: NSManagedObjectContext
    let parent: NSManagedObjectContext
    private var counterparts: [ObjectIdentifier: NSManagedObject] = [:]
    private var ordered: [(object: NSManagedObject, slot: Int)] = []

    init(_ context: NSManagedObjectContext, into parent: NSManagedObjectContext) {
        self.context = context
        self.parent = parent
    }

    /// Changes the parent's objects.
    ///
    /// - Returns: The versions of the rows of changed objects.
    mutating func run() throws -> SavedObjects {
        let checkpoint = parent.checkpoint()
        do {
            try settleConflicts()
            for object in context.insertedList.objects { try insert(object) }
            let written = context.updatedList.objects.filter { counterpart($0) != nil }
            for object in context.insertedList.objects + written { try setProperties(of: object) }
            for object in context.insertedList.objects + written { try setMembers(of: object) }
            for object in context.deletedList.objects {
                if let own = counterpart(object) { parent.deleteObject(own) }
            }
            try parent.throwReadError()
            var saved = SavedObjects()
            if let origin = context.origin {
                saved.add(
                    written: written, versions: written.map { counterpart($0)?.snapshot.version ?? 1 },
                    ordered: ordered, origin: origin)
            }
            return saved
        } catch {
            parent.restore(checkpoint)
            throw error
        }
    }

    private mutating func counterpart(_ object: NSManagedObject) -> NSManagedObject? {
        if let known = counterparts[ObjectIdentifier(object)] { return known }
        let found = parent.existingCounterpart(of: object.objectID)
        counterparts[ObjectIdentifier(object)] = found
        return found
    }

    // MARK: Conflicts

    /// Settles the conflicts with objects that the parent has deleted.
    private mutating func settleConflicts() throws {
        var conflicts: [NSManagedObject] = []
        // An object that was only related with other objects has no values to lose.
        for object in context.updatedList.objects where object.changesRow && counterpart(object) == nil {
            conflicts.append(object)
        }
        guard !conflicts.isEmpty else { return }
        let policy = context.mergeType
        if policy == .errorMergePolicyType { throw error(of: conflicts) }
        for object in conflicts {
            if [.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType].contains(policy),
                let pending = pendingDeletion(of: object)
            {
                parent.takeBackDeletion(of: pending)
                counterparts[ObjectIdentifier(object)] = pending
            } else if policy == .mergeByPropertyObjectTrumpMergePolicyType || policy == .overwriteMergePolicyType {
                throw error(of: [object])
            } else {
                context.forgetDeletedInParent(object)
            }
        }
    }

    /// Returns the parent's object if the parent deletes it with its next save.
    private func pendingDeletion(of object: NSManagedObject) -> NSManagedObject? {
        guard let found = parent.identities[parent.identityKey(of: object.objectID.row, in: object.objectID.origin)],
            found.status.contains(.deleted)
        else { return nil }
        return found
    }

    private func error(of objects: [NSManagedObject]) -> CoreDataError {
        let names = objects.prefix(3).map { "\($0.compiledEntity.name) \($0.objectID)" }.joined(separator: ", ")
        var error = CoreDataError(
            NSManagedObjectMergeError,
            "Cannot save to the parent context: it has deleted \(names), which this context has changed. Refresh or delete these objects, or set a merge policy.",
            entity: objects[0].compiledEntity.name, objects: objects.map(\.objectID.reference))
        error.attachment = SaveConflictReport(
            origin: objects[0].objectID.origin,
            changes: objects.map { object in
                MergeConflict(
                    sourceObject: object.objectID.row, oldVersionNumber: object.snapshot.version ?? 0,
                    cachedSnapshot: try? object.snapshot.rowSnapshot(of: object), persistedSnapshot: nil)
            })
        return error
    }

    // MARK: Changes

    private mutating func insert(_ object: NSManagedObject) throws {
        // The parent may have revived it.
        if let known = parent.identities[parent.identityKey(of: object.objectID.row, in: object.objectID.origin)],
            known.exists
        {
            counterparts[ObjectIdentifier(object)] = known
            return
        }
        let own = parent.insertCounterpart(of: object)
        counterparts[ObjectIdentifier(object)] = own
        if let store = context.saving.assignedStores[ObjectIdentifier(object)] { parent.saving.assign(own, to: store) }
    }

    /// Sets the attributes and the relationships to one that the child has changed.
    private mutating func setProperties(of object: NSManagedObject) throws {
        guard let own = counterpart(object) else { return }
        let entity = object.compiledEntity
        if object.status.contains(.inserted) {
            let values = object.presentAttributes
            for slot in entity.attributes.indices where entity.isSettable(slot) {
                try own.setAttribute(slot, to: values[slot])
            }
        } else {
            for (slot, value) in object.changedStoredAttributes { try own.setAttribute(slot, to: value) }
        }
        for (slot, relationship) in entity.relationships.enumerated()
        where !relationship.isToMany && !relationship.isTransient {
            guard object.status.contains(.inserted) || object.changedRelationships.contains(slot) else { continue }
            let destination = object.destination(slot).flatMap { $0.exists ? $0 : nil }
            try own.setDestination(slot, to: destination.flatMap { counterpart($0) })
        }
    }

    /// Adds and removes the members that the child has added and removed, and sets their order.
    private mutating func setMembers(of object: NSManagedObject) throws {
        guard let own = counterpart(object) else { return }
        for (slot, relationship) in object.compiledEntity.relationships.enumerated()
        where relationship.isToMany && !relationship.isTransient {
            guard case .toMany(let members) = object.relationshipState(slot), members.hasChanges else { continue }
            if relationship.isOrdered { ordered.append((object, slot)) }
            let (added, removed) = members.isLoaded ? members.difference() : members.notedLinks
            for other in removed where other.exists {
                if let other = counterpart(other) { try own.removeMember(slot, object: other) }
            }
            for other in added where other.exists {
                if let other = counterpart(other) { try own.addMember(slot, object: other) }
            }
            guard relationship.isOrdered, members.isLoaded else { continue }
            let order = members.objects.filter(\.exists).compactMap { counterpart($0) }
            let known = Set(order.map { ObjectIdentifier($0) })
            let others = try own.readMemberObjects(slot).filter { !known.contains(ObjectIdentifier($0)) }
            let present = Set(try own.readMemberObjects(slot).map { ObjectIdentifier($0) })
            try own.setMembers(slot, to: order.filter { present.contains(ObjectIdentifier($0)) } + others)
        }
    }
}

extension CompiledEntity {
    /// Whether an attribute is stored and not computed by the store.
    fileprivate func isSettable(_ slot: Int) -> Bool {
        !attributes[slot].isTransient && attributes[slot].derivation == nil
    }
}

extension NSManagedObjectContext {
    /// Inserts the object that a child has inserted, with the same id. Its life has begun in the child, so that
    /// `awakeFromInsert` is not called again.
    fileprivate final func insertCounterpart(of object: NSManagedObject) -> NSManagedObject {
        let entity = object.compiledEntity
        let id = NSManagedObjectID(entity: entity, key: object.objectID.key, origin: object.objectID.origin)
        let own = seed.make(objectClass(of: entity), identity: id, snapshot: .none, in: self)
        own.edits = SlotValues(all: entity.defaultValues)
        register(own)
        return own
    }

    /// Discards an object that the parent has deleted.
    fileprivate final func forgetDeletedInParent(_ object: NSManagedObject) {
        identities[identityKey(of: object.objectID.row, in: object.objectID.origin)] = nil
        updatedList.remove(object)
        object.dropChanges()
        object.status.insert(.gone)
        pendingEvent.noteDeletion(of: object)
    }
}
