#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

/// The identity of an object that has a row, for comparisons on any thread.
typealias ObjectKey = NSManagedObjectID

extension NSManagedObjectID {
    var objectKey: ObjectKey { self }

    var reference: ObjectReference {
        let url = uriRepresentation()
        let last = url.lastPathComponent
        let name = entity.name ?? ""
        guard !isTemporaryID, last.first == "p", let key = Int64(last.dropFirst()) else {
            // A temporary id has no number; its hash distinguishes it from the other ids of a context.
            return ObjectReference(storeIdentifier: nil, entityName: name, key: -Int64(hash & (Int.max >> 1)) - 1)
        }
        return ObjectReference(storeIdentifier: url.host, entityName: name, key: key)
    }
}

extension NSManagedObject {
    /// Whether the object has a temporary id now: Core Data does not report whether it had one before.
    var hasHadTemporaryID: Bool { objectID.isTemporaryID }
}

extension NSManagedObjectContext {
    func existingObject(for reference: ObjectReference) throws -> NSManagedObject? {
        guard let store = reference.storeIdentifier else {
            return insertedObjects.first { $0.objectID.reference == reference }
        }
        guard
            let url = URL(string: "x-coredata://\(store)/\(reference.entityName)/p\(reference.key)"),
            let id = persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url)
        else { return nil }
        return try existingObject(with: id)
    }
}

extension NSError {
    var affectedRows: [ObjectReference] {
        (userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] ?? []).map(\.objectID.reference)
    }
}
#endif
