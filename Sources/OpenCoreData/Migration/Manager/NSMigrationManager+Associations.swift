import Foundation
import SwormStore

extension NSMigrationManager {
    /// Returns the new objects that all mappings created from old objects.
    final func destinationInstances(of sources: [NSManagedObject]) -> [NSManagedObject] {
        settle()
        let rows = sources.flatMap { source in
            (mappingModel?.entityMappings ?? []).filter { $0.sourceEntityName == source.compiledEntity.name }.flatMap {
                associations.destinations(of: source.objectID.row, mapping: $0.name ?? "")
            }
        }
        return newObjects(rows)
    }

    /// Returns the new objects that a mapping created from old objects: first the objects that already have keys, then
    /// those without.
    ///
    /// The method does not assign keys, because a policy requests the objects that it just created one by one.
    final func destinationInstances(of sources: [NSManagedObject], mapping: String) -> [NSManagedObject] {
        sources.flatMap { source in
            let row = source.objectID.row
            var found = newObjects(associations.destinations(of: row, mapping: mapping))
            for pending in pendingAssociations
            where pending.mapping == mapping && pending.source.objectID.row == row && pending.destination.exists
                && !found.contains(where: { $0 === pending.destination })
            {
                found.append(pending.destination)
            }
            return found
        }
    }

    /// Assigns keys to new objects, and records the associations by these keys.
    ///
    /// If this fails, the objects have no keys and are not found; the next save throws the error.
    final func settle() {
        guard !pendingAssociations.isEmpty else { return }
        do {
            try destinationContext.assignPermanentIDs(to: pendingAssociations.map(\.destination))
        } catch {
            destinationContext.noteReadError(error)
            return
        }
        for (source, destination, mapping) in pendingAssociations where !destination.objectID.isTemporaryID {
            associations.add(source: source.objectID.row, destination: destination.objectID.row, mapping: mapping)
            settledObjects[destination.objectID.row] = destination
        }
        pendingAssociations = []
    }

    /// Removes the associations of new objects that were deleted before they were saved. The context has no list of
    /// them, so this must happen before they are released.
    final func forgetDeleted() {
        associations.remove(Set(settledObjects.filter { $0.value.status.contains(.gone) }.keys))
        settledObjects = [:]
    }

    /// Removes the associations of objects that are deleted in the store whenever the context is saved. A notification
    /// is observed because a policy may also save the context.
    ///
    /// - Returns: The observer, which must be removed from the notification center.
    final func forgetDeletedWhenSaved() -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: destinationContext, queue: nil
        ) { [weak self] notification in
            guard let gone = notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> else { return }
            self?.associations.remove(Set(gone.map(\.objectID.row)))
        }
    }

    /// Returns the new objects with the given rows, except deleted ones.
    final func newObjects(_ rows: [RowID]) -> [NSManagedObject] {
        objects(rows.filter { settledObjects[$0]?.exists ?? true }, in: destinationContext).filter(\.exists)
    }

    /// Returns the objects with the given rows.
    final func objects(_ rows: [RowID], in context: NSManagedObjectContext) -> [NSManagedObject] {
        guard let origin = context.coordinator?.persistentStores.first?.origin else { return [] }
        return rows.map { row in
            context.objectOrFault(
                with: NSManagedObjectID(entity: origin.compiled[row.entity], key: row.key, origin: origin))
        }
    }
}
