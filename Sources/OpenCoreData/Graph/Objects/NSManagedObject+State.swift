import SwormStore

extension NSManagedObject {
    /// The object's entity.
    public final var entity: NSEntityDescription { identity.entity }

    /// The object's id, which is temporary until the object is first saved.
    public final var objectID: NSManagedObjectID { identity }

    /// The context that the object belongs to; nil after the context was reset or deallocated.
    ///
    /// The context of a deleted object is nil once the deletion is saved; if the object was never saved, it is nil as
    /// soon as the object is deleted.
    public final var managedObjectContext: NSManagedObjectContext? {
        status.contains(.gone) && !status.contains(.deletionMerged) ? nil : context
    }

    /// Whether the object is inserted and not yet saved.
    public final var isInserted: Bool { status.contains(.inserted) }

    /// Whether the object changed since it was last saved.
    public final var isUpdated: Bool { status.contains(.updated) && !status.contains(.inserted) }

    /// Whether the next save deletes the object, or whether a save has just deleted it and calls ``didSave()``, or its
    /// deletion was just merged: then it is among the context's ``NSManagedObjectContext/deletedObjects`` until the next
    /// event. Also true for an object whose row no longer exists, once that is known, unless
    /// ``NSManagedObjectContext/shouldDeleteInaccessibleFaults`` is false.
    public final var isDeleted: Bool {
        if status.isDisjoint(with: [.deleted, .deletionSaved, .deletionMerged, .inaccessible]) { return false }
        if !status.isDisjoint(with: [.deleted, .deletionSaved, .deletionMerged]) { return true }
        return context?.shouldDeleteInaccessibleFaults ?? false
    }

    /// Whether the object is inserted, changed or deleted.
    public final var hasChanges: Bool { !status.isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// Whether the object is not deleted. An object with a pending deletion counts as deleted.
    final var exists: Bool { status.isDisjoint(with: [.deleted, .gone]) }

    /// Whether a stored property differs from its value in the store.
    public final var hasPersistentChangedValues: Bool {
        if status.contains(.inserted) || status.contains(.deleted) { return true }
        var found = false
        changedAttributes.forEach { found = found || !compiledEntity.attributes[$0].isTransient }
        changedRelationships.forEach { found = found || !compiledEntity.relationships[$0].isTransient }
        return found
    }

    /// Whether no property of the object has been read yet.
    public final var isFault: Bool { snapshot.isFault && edits.isEmpty }
}

// The identity of an object, which changes with its first save.
extension NSManagedObject {
    /// Turns the object into the object of a row.
    final func become(_ id: NSManagedObjectID, snapshot: ObjectSnapshot, context: NSManagedObjectContext) {
        compiledEntity = id.compiledEntity
        identity = id
        self.snapshot = snapshot
        self.context = context
        edits = SlotValues()
    }

    final func take(id: NSManagedObjectID) {
        if identity.isTemporaryID, !id.isTemporaryID {
            status.insert(.named)
            context?.hasNamedObjects = true
        }
        identity = id
    }

    /// Whether the object has, or had, a temporary id. If so, comparing ids is not a reliable test for the same object.
    package final var hasHadTemporaryID: Bool { identity.isTemporaryID || status.contains(.named) }

    /// Changes the entity of the object, because the row that was read has another entity of the same hierarchy than
    /// expected.
    final func take(entity: CompiledEntity) {
        compiledEntity = entity
        identity = NSManagedObjectID(entity: entity, key: identity.key, origin: identity.origin)
        if !relationships.isEmpty {
            while relationships.count < entity.relationships.count { relationships.append(.untouched) }
        }
    }
}
