import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Inserts a deleted object again: the same object, under its old key if its deletion was saved.
    ///
    /// The row's next version is above its last one, so that no context that still has the old row can mistake the new
    /// row for it. The properties of an object whose deletion was saved have their default values.
    ///
    /// - Parameter object: An object of this context that was deleted in it.
    /// - Throws: A ``CoreDataError`` if another object of the context has the key.
    package final func revive(_ object: NSManagedObject) throws {
        if object.status.contains(.deleted) { return insertObject(object) }
        let wasSaved = !object.snapshot.isNone
        guard object.status.contains(.gone) || !wasSaved && object.context == nil else { return }
        // The object of a child may have got its permanent id since.
        if let id = nesting.permanentIDs[object.objectID.row] { object.take(id: id) }
        let key = identityKey(of: object.objectID.row, in: object.objectID.origin)
        if let other = identities[key], other !== object {
            throw CoreDataError(
                NSCoreDataError,
                "Cannot insert \(object.compiledEntity.name) \(object.objectID) again: an object with its key exists.",
                entity: object.compiledEntity.name, objects: [object.objectID.reference])
        }
        // The id of an object that a child has saved is temporary until there is a row.
        if !object.objectID.isTemporaryID { saving.noteLost(object, version: object.snapshot.version) }
        if wasSaved {
            object.dropChanges()
            object.snapshot = .none
            object.edits = SlotValues(all: object.compiledEntity.defaultValues)
        }
        if object.status.contains(.deletionMerged) { mergedDeletions.removeAll { $0 === object } }
        object.status.subtract([.inaccessible, .deleted, .updated, .deletionMerged])
        register(object)
    }

    /// Returns whether the row of an object exists in the store.
    ///
    /// - Throws: The store's error.
    package final func hasRow(of object: NSManagedObject) throws -> Bool {
        try !object.objectID.isTemporaryID && readRow(of: object, hint: nil) != nil
    }

    /// Causes rows that were read for handles to be read again.
    package final func forgetRows() { forgetReadAhead() }
}
