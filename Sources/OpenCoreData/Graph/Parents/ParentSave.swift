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
    /// The state of the parent before the save.
    private var checkpoint: ContextCheckpoint?
    /// The objects that the parent has deleted, and whose changes the child loses.
    private var lost: [NSManagedObject] = []
    /// The objects whose deletion the child has taken back, and which the parent has not deleted in its store.
    private var returned: Set<ObjectIdentifier> = []
    /// The parent's objects whose rows were deleted, and which it inserts again.
    private var revived: [NSManagedObject] = []

    init(_ context: NSManagedObjectContext, into parent: NSManagedObjectContext) {
        self.context = context
        self.parent = parent
    }

    /// Changes the parent's objects.
    ///
    /// - Returns: The versions of the rows of changed objects.
    mutating func run() throws -> SavedObjects {
        // An earlier error of the parent is not one of this save. The parent throws it itself.
        let earlier = parent.faulting.failure
        parent.faulting.resetFailure()
        defer { parent.faulting.resetFailure(to: earlier) }
        checkpoint = parent.checkpoint()
        let (recorder, mark) = (parent.recorder, parent.recorder?.mark())
        do {
            return try change()
        } catch {
            if let checkpoint { parent.restore(checkpoint) }
            parent.saving.forgetLost(revived)
            if let mark { recorder?.forget(since: mark) }
            throw error
        }
    }

    /// Changes the parent's objects. The child changes at the end only, when there can be no more errors.
    private mutating func change() throws -> SavedObjects {
        try readOrders()
        try settleConflicts()
        for object in context.insertedList.objects { try insert(object) }
        let written = try context.updatedList.objects.filter { try counterpart($0) != nil }
        for object in context.insertedList.objects + written { try setProperties(of: object) }
        for object in context.insertedList.objects + written { try setMembers(of: object) }
        var deleted: [(object: NSManagedObject, version: Int64)] = []
        for object in context.deletedList.objects {
            guard let own = try counterpart(object) else { continue }
            if let version = own.snapshot.version { deleted.append((object, version)) }
            parent.deleteObject(own)
        }
        try parent.throwReadError()
        var saved = SavedObjects()
        if let origin = context.origin {
            let versions = try written.map { try counterpart($0)?.snapshot.version ?? 1 }
            saved.add(written: written, versions: versions, ordered: ordered, origin: origin)
        }
        for (object, version) in deleted { object.take(version: version) }
        for object in lost { context.forgetDeletedInParent(object) }
        // The other objects may have read relationships with them. The save takes care of those that have changed.
        if !lost.isEmpty { context.forgetRelationshipsOfUnchangedObjects() }
        return saved
    }

    private mutating func counterpart(_ object: NSManagedObject) throws -> NSManagedObject? {
        if let known = counterparts[ObjectIdentifier(object)] { return known }
        let found = try parent.existingCounterpart(of: object.objectID)
        counterparts[ObjectIdentifier(object)] = found
        return found
    }

    /// Reads the members of ordered relationships whose changes a refresh has kept: their order is only known with them.
    private mutating func readOrders() throws {
        for object in context.updatedList.objects {
            for (slot, relationship) in object.compiledEntity.relationships.enumerated()
            where relationship.isToMany && relationship.isOrdered && !relationship.isTransient {
                guard case .toMany(let members) = object.relationshipState(slot), !members.isLoaded,
                    members.hasChanges, try counterpart(object) != nil
                else { continue }
                members.load(try context.loadMembers(of: object, slot: slot))
            }
        }
    }

    // MARK: Conflicts

    /// Settles the conflicts with objects that the parent has deleted.
    private mutating func settleConflicts() throws {
        var conflicts: [NSManagedObject] = []
        // An object that was only related with other objects has no values to lose.
        for object in context.updatedList.objects where object.changesRow {
            if try counterpart(object) == nil { conflicts.append(object) }
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
                lost.append(object)
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
        let known = parent.identities[parent.identityKey(of: object.objectID.row, in: object.objectID.origin)]
        let lostVersion = context.saving.lostVersion(of: object)
        if let known, known.status.contains(.deleted) {
            // The child has taken back a deletion that the parent has not saved yet.
            parent.takeBackDeletion(of: known)
            counterparts[ObjectIdentifier(object)] = known
            returned.insert(ObjectIdentifier(object))
            return
        }
        // The parent may have revived the object, or undone its deletion before it was saved.
        if known?.exists ?? (lostVersion != nil), try counterpart(object) != nil {
            returned.insert(ObjectIdentifier(object))
            return
        }
        // Somebody has asked the parent for the object by its id before it existed there.
        if let known, known.exists { checkpoint?.note([known]) }
        let own = parent.insertCounterpart(of: object, as: known.flatMap { $0.exists ? $0 : nil })
        counterparts[ObjectIdentifier(object)] = own
        if let version = lostVersion {
            parent.saving.noteLost(own, version: version)
            revived.append(own)
        }
        if let store = context.saving.assignedStores[ObjectIdentifier(object)] { parent.saving.assign(own, to: store) }
    }

    /// Sets the attributes and the relationships to one that the child has changed.
    private mutating func setProperties(of object: NSManagedObject) throws {
        guard let own = try counterpart(object) else { return }
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
            try own.setDestination(slot, to: try destination.flatMap { try counterpart($0) })
        }
    }

    /// Adds and removes the members that the child has added and removed, and sets their order.
    private mutating func setMembers(of object: NSManagedObject) throws {
        guard let own = try counterpart(object) else { return }
        let isReturned = returned.contains(ObjectIdentifier(object))
        for (slot, relationship) in object.compiledEntity.relationships.enumerated()
        where relationship.isToMany && !relationship.isTransient {
            if isReturned { try removeOtherMembers(of: object, from: own, slot) }
            guard case .toMany(let members) = object.relationshipState(slot), members.hasChanges else { continue }
            if relationship.isOrdered { ordered.append((object, slot)) }
            let (added, removed) = members.isLoaded ? members.difference() : members.notedLinks
            for other in removed where other.exists {
                if let other = try counterpart(other) { try own.removeMember(slot, object: other) }
            }
            for other in added where other.exists {
                if let other = try counterpart(other) { try own.addMember(slot, object: other) }
            }
            guard relationship.isOrdered, members.isLoaded else { continue }
            let order = try members.objects.filter(\.exists).compactMap { try counterpart($0) }
            let known = Set(order.map { ObjectIdentifier($0) })
            let others = try own.readMemberObjects(slot).filter { !known.contains(ObjectIdentifier($0)) }
            let present = Set(try own.readMemberObjects(slot).map { ObjectIdentifier($0) })
            try own.setMembers(slot, to: order.filter { present.contains(ObjectIdentifier($0)) } + others)
        }
    }

    /// Removes the members that an object had when it was deleted, and that it no longer has in the child, which has
    /// inserted it again with all of its members.
    private mutating func removeOtherMembers(of object: NSManagedObject, from own: NSManagedObject, _ slot: Int) throws
    {
        var kept: Set<ObjectIdentifier> = []
        for member in object.memberObjects(slot) where member.exists {
            if let member = try counterpart(member) { kept.insert(ObjectIdentifier(member)) }
        }
        for member in try own.readMemberObjects(slot) where !kept.contains(ObjectIdentifier(member)) {
            try own.removeMember(slot, object: member)
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
    ///
    /// - Parameter fault: An object with the id and without a row, which becomes the object; nil for a new one.
    fileprivate final func insertCounterpart(of object: NSManagedObject, as fault: NSManagedObject?) -> NSManagedObject
    {
        let entity = object.compiledEntity
        let id = NSManagedObjectID(entity: entity, key: object.objectID.key, origin: object.objectID.origin)
        let own = fault ?? seed.make(objectClass(of: entity), identity: id, snapshot: .none, in: self)
        if let fault {
            updatedList.remove(fault)
            fault.dropChanges()
            if fault.compiledEntity !== entity { fault.take(entity: entity) }
            fault.snapshot = .none
            fault.status.remove(.inaccessible)
        }
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

extension NSManagedObject {
    /// Adopts the version that the row has in the parent, which is the last one of the row if the parent deletes it.
    fileprivate final func take(version: Int64) {
        guard case .values(var committed) = snapshot.stored else { return }
        committed.version = version
        snapshot = snapshot.replacingRow(by: .values(committed))
    }
}
