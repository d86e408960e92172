import SwormPredicates

extension NSManagedObjectContext {
    /// Returns the object at the other end of a relation to one; nil if its row is missing from the store.
    func present(_ destination: NSManagedObject?) throws -> NSManagedObject? {
        guard let destination, destination.isFault, !destination.objectID.isTemporaryID else { return destination }
        return try presentObject(for: destination.objectID.reference)
    }

    /// Returns the object with an id; nil if its row is missing from the store.
    func presentObject(for reference: ObjectReference) throws -> NSManagedObject? {
        do {
            return try existingObject(for: reference)
        } catch  where StoreError.Code.objectDeleted ~= translatedError(error) {
            return nil
        }
    }
}
