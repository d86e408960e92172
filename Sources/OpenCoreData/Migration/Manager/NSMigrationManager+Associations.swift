import Foundation
import SwormStore

extension NSMigrationManager {
    /// Returns the new objects of old objects, across all mappings.
    final func becameOf(_ sources: [NSManagedObject]) -> [NSManagedObject] {
        settle()
        let rows = sources.flatMap { source in
            (mappingModel?.entityMappings ?? []).filter { $0.sourceEntityName == source.compiledEntity.name }.flatMap {
                associations.destinations(of: source.objectID.row, mapping: $0.name ?? "")
            }
        }
        return newObjects(rows)
    }

    /// Returns the new objects of old objects by a mapping: first those that already have keys, then those without.
    ///
    /// A policy requests the objects that it just created one by one, so this does not assign keys.
    final func destinationInstances(of sources: [NSManagedObject], mapping: String) -> [NSManagedObject] {
        sources.flatMap { source in
            let row = source.objectID.row
            var found = newObjects(associations.destinations(of: row, mapping: mapping))
            for pending in pendingAssociations
            where pending.mapping == mapping && pending.source.objectID.row == row && pending.destination.isThere
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
            try destinationContext.obtainPermanentIDs(for: pendingAssociations.map(\.destination))
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

    /// Removes new objects that will not be in the store, before they are released: the context has no list of objects
    /// that were deleted before they were ever saved.
    final func forgetDeleted() {
        associations.remove(Set(settledObjects.filter { $0.value.status.contains(.gone) }.keys))
        settledObjects = [:]
    }

    /// Removes new objects that are deleted in the store whenever the context is saved, because a policy may save it,
    /// too.
    ///
    /// - Returns: The observer.
    final func forgetDeletedWhenSaved() -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: destinationContext, queue: nil
        ) { [weak self] notification in
            guard let gone = notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> else { return }
            self?.associations.remove(Set(gone.map(\.objectID.row)))
        }
    }

    /// Returns the new objects of rows, without those that are deleted but still recorded.
    final func newObjects(_ rows: [RowID]) -> [NSManagedObject] {
        objects(rows.filter { settledObjects[$0]?.isThere ?? true }, in: destinationContext).filter(\.isThere)
    }

    final func objects(_ rows: [RowID], in context: NSManagedObjectContext) -> [NSManagedObject] {
        guard let origin = context.coordinator?.persistentStores.first?.origin else { return [] }
        return rows.map { row in
            context.object(with: NSManagedObjectID(entity: origin.compiled[row.entity], key: row.key, origin: origin))
        }
    }
}
