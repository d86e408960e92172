import SwormPredicates
import SwormStore

extension NSManagedObject {
    /// The reason why the object is, or just was, a fault.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// Reads the row of a fault.
    ///
    /// - Parameter property: The name of the property for which the row is read; nil if it is not known.
    /// - Returns: Whether the object has its values now. False if the row no longer exists or could not be read; the
    ///   context records the reason.
    final func fire(for property: String? = nil) -> Bool {
        do {
            try load()
            return true
        } catch {
            context?.noteReadError(error, of: self, property: property)
            return false
        }
    }

    /// Reads the row of a fault.
    ///
    /// - Throws: A ``CoreDataError`` with the code `NSManagedObjectReferentialIntegrityError` if the row no longer
    ///   exists or the object has lost its context, or the store's error.
    package final func load() throws {
        let hint: FaultHint?
        switch snapshot {
        case .fault(let known): hint = known
        case .unfired(let group, let row):
            guard let context, context.isStale(group) else { return fire(group, row: row) }
            snapshot = .fault(nil)
            hint = nil
        case .none, .row, .patched, .values, .awakened: return
        }
        if status.contains(.inaccessible) || status.contains(.gone) { throw missingRow() }
        guard let context else {
            throw CoreDataError(
                NSManagedObjectReferentialIntegrityError,
                "Cannot read \(compiledEntity.name) \(objectID): its context was reset or deallocated.",
                entity: compiledEntity.name,
                objects: [objectID.reference])
        }
        guard let row = try context.readRow(of: self, hint: hint) else {
            status.insert(.inaccessible)
            throw missingRow()
        }
        snapshot = row
        awake()
    }

    /// Gives the object the values of its row, which a fetch has read.
    private func fire(_ group: RowSet, row: Int) {
        snapshot = .row(group, row)
        if context != nil, !status.contains(.gone) { awake() }
    }

    /// Calls `awakeFromFetch`. Values that it sets belong to the object only: they are not changes.
    final func awake() {
        // Only an overridden `awakeFromFetch` has an effect.
        guard type(of: self) != NSManagedObject.self else { return }
        status.insert(.awakening)
        defer { status.remove(.awakening) }
        awakeFromFetch()
    }

    /// Reads the data that identifies the objects of a relationship.
    ///
    /// - Throws: An error with the code `NSPersistentStoreOperationError`. A row that no longer exists is not an error:
    ///   its relationships are empty.
    final func requireReadRelationship(_ slot: Int) throws {
        var cause: any Error
        do {
            try load()
            guard compiledEntity.relationships[slot].isToMany, !members(slot).isLoaded else { return }
            guard let failure = context?.faulting.failure else { return }
            cause = failure
        } catch {
            if (error as? CoreDataError)?.errorCode == NSManagedObjectReferentialIntegrityError { return }
            cause = error
        }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "Cannot delete \(compiledEntity.name) \(objectID): its relationship '\(compiledEntity.relationships[slot].name)' could not be read: \(cause)",
            entity: compiledEntity.name, key: compiledEntity.relationships[slot].name, objects: [objectID.reference],
            cause: cause)
    }

    private func missingRow() -> CoreDataError { .missingRow(of: compiledEntity.name, id: objectID) }

    /// Discards all values of the object, including unsaved changes.
    final func turnIntoFault() {
        willTurnIntoFault()
        snapshot = .fault(nil)
        dropChanges()
        didTurnIntoFault()
    }

    /// Discards unsaved changes and the relationships that were read.
    final func dropChanges() {
        edits = SlotValues()
        changedAttributes.removeAll()
        relationships = []
        changedRelationships.removeAll()
        refusals = []
        status.remove(.updated)
    }

    /// Discards the relationships that were read; their unsaved changes are kept.
    final func forgetReadRelationships() {
        if case .none = snapshot { return }
        guard hasChanges else {
            relationships = []
            return
        }
        for slot in relationships.indices { forgetReadRelationship(slot) }
    }

    /// Removes objects whose rows were deleted elsewhere from the changed relationships.
    final func forgetGonePartners() {
        for slot in relationships.indices {
            switch relationships[slot] {
            case .toMany(let members): members.dropGone()
            case .toOne(let destination?) where destination.status.contains(.gone): assignDestination(slot, to: nil)
            case .toOne, .untouched: continue
            }
        }
    }

    /// Discards the members of one relationship that were read; its unsaved changes are kept.
    final func forgetReadRelationship(_ slot: Int) {
        if case .none = snapshot { return }
        guard relationships.indices.contains(slot) else { return }
        if !changedRelationships.contains(slot) {
            relationships[slot] = .untouched
        } else if case .toMany(let members) = relationships[slot] {
            members.forgetCommitted()
        }
    }

    /// Detaches the object from its context. It keeps the values that were read, and no longer belongs to a context.
    final func detach() {
        context = nil
        relationships = []
        changedRelationships.removeAll()
        status.subtract([.inserted, .updated, .deleted])
        status.subtract(.ofEvents)
    }
}

extension CoreDataError {
    /// Returns the error for a row that was not found.
    static func missingRow(of entity: String, id: NSManagedObjectID) -> CoreDataError {
        CoreDataError(
            NSManagedObjectReferentialIntegrityError,
            "Cannot read \(entity) \(id): the object is no longer in the store. It was deleted after its id was read.",
            entity: entity, objects: [id.reference])
    }
}
