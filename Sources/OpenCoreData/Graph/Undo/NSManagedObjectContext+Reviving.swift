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
        // An object of a child may have been saved to the parent without a permanent id.
        let wasSaved = !object.objectID.isTemporaryID || !object.snapshot.isNone
        if !wasSaved || object.status.contains(.deleted) { return insertObject(object) }
        guard object.status.contains(.gone) else { return }
        if let id = nesting.permanentIDs[object.objectID.row] { object.take(id: id) }
        let key = identityKey(of: object.objectID.row, in: object.objectID.origin)
        if let other = identities[key], other !== object {
            throw CoreDataError(
                NSCoreDataError,
                "Cannot insert \(object.compiledEntity.name) \(object.objectID) again: an object with its key exists.",
                entity: object.compiledEntity.name, objects: [object.objectID.reference])
        }
        recorder?.noteInsertion(of: object)
        if !object.objectID.isTemporaryID { saving.noteLost(object, version: object.snapshot.version) }
        object.dropChanges()
        object.snapshot = .none
        object.edits = SlotValues(all: object.compiledEntity.defaultValues)
        object.context = self
        object.status.subtract([.gone, .inaccessible, .deleted, .updated])
        object.status.insert(.inserted)
        identities[key] = object
        insertedList.insert(object)
        object.noteInsertion()
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
