import SwormPredicates
import SwormStore

extension NSManagedObject {
    /// The reason for which the object is, or was just, a fault.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// Reads the row of a fault.
    ///
    /// - Returns: Whether the object has its values now. False when the row has gone or could not be read; the context keeps
    ///   the reason.
    final func fire() -> Bool {
        do {
            try load()
            return true
        } catch {
            context?.noteReadError(error)
            return false
        }
    }

    /// Reads the row of a fault.
    ///
    /// - Throws: A ``CoreDataError`` with the code `NSManagedObjectReferentialIntegrityError` when the row has gone or the
    ///   object has lost its context, or the store's error.
    package final func load() throws {
        guard case .fault(let hint) = snapshot else { return }
        if status.contains(.inaccessible) || status.contains(.gone) { throw missingRow() }
        guard let context else {
            throw CoreDataError(
                NSManagedObjectReferentialIntegrityError,
                "Cannot read \(plan.name) \(objectID): its context was reset or has gone.", entity: plan.name,
                objects: [objectID.reference])
        }
        guard let row = try context.readRow(of: self, hint: hint) else {
            status.insert(.inaccessible)
            throw missingRow()
        }
        snapshot = row
        awakeFromFetch()
    }

    /// Reads what is needed to know the objects at the end of a relationship.
    ///
    /// - Throws: An error with the code `NSPersistentStoreOperationError`. A row that has gone is none: there is nothing at
    ///   its relationships' ends.
    final func requireReadRelationship(_ slot: Int) throws {
        var cause: any Error
        do {
            try load()
            guard plan.relationships[slot].isToMany, !members(slot).isLoaded else { return }
            guard let failure = context?.readError else { return }
            cause = failure
        } catch {
            if (error as? CoreDataError)?.errorCode == NSManagedObjectReferentialIntegrityError { return }
            cause = error
        }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "Cannot delete \(plan.name) \(objectID): its relationship '\(plan.relationships[slot].name)' could not be read: \(cause)",
            entity: plan.name, key: plan.relationships[slot].name, objects: [objectID.reference], cause: cause)
    }

    private func missingRow() -> CoreDataError { .missingRow(plan.name, objectID) }

    /// Gives up everything that is known of the object, unsaved changes included.
    final func turnIntoFault() {
        willTurnIntoFault()
        snapshot = .fault(nil)
        dropChanges()
        didTurnIntoFault()
    }

    /// Forgets unsaved changes and what was read of relationships.
    final func dropChanges() {
        edits = SlotValues()
        changedAttributes.removeAll()
        relationships = []
        changedRelationships.removeAll()
        refusals = []
        status.remove(.updated)
    }

    /// Forgets what was read of relationships; unsaved changes of theirs stay.
    final func forgetReadRelationships() {
        if case .none = snapshot { return }
        guard hasChanges else {
            relationships = []
            return
        }
        for slot in relationships.indices { forgetReadRelationship(slot) }
    }

    /// Forgets what was read of one relationship; unsaved changes of it stay.
    final func forgetReadRelationship(_ slot: Int) {
        if case .none = snapshot { return }
        guard relationships.indices.contains(slot) else { return }
        if !changedRelationships.contains(slot) {
            relationships[slot] = .untouched
        } else if case .toMany(let members) = relationships[slot] {
            members.forgetCommitted()
        }
    }

    /// Lets the object go: it keeps what it has read, and belongs to no context any more.
    final func detach() {
        context = nil
        relationships = []
        changedRelationships.removeAll()
        status.subtract([.inserted, .updated, .deleted])
    }
}

extension CoreDataError {
    /// A row was looked for and not found.
    static func missingRow(_ entity: String, _ id: NSManagedObjectID) -> CoreDataError {
        CoreDataError(
            NSManagedObjectReferentialIntegrityError,
            "Cannot read \(entity) \(id): the object is no longer in the store. It was deleted after its id was read.",
            entity: entity, objects: [id.reference])
    }
}
