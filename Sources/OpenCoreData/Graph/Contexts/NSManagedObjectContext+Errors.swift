import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObjectContext: ErrorObjectFinder {
    final func object(of reference: ObjectReference) -> NSObject? {
        guard let id = managedObjectID(for: reference) else { return nil }
        // There is a row only for a permanent id.
        return knownObject(for: id) ?? (id.isTemporaryID ? nil : objectOrFault(with: id))
    }
}

extension NSManagedObject: ErrorObjectFinder {
    final func object(of reference: ObjectReference) -> NSObject? {
        reference == objectID.reference ? self : context?.object(of: reference)
    }
}
