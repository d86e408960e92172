import Foundation
import SwormStore

extension NSMigrationManager {
    /// What old objects have become, by whichever mapping.
    final func becameOf(_ sources: [NSManagedObject]) -> [NSManagedObject] {
        settle()
        let rows = sources.flatMap { source in
            (mappingModel?.entityMappings ?? []).filter { $0.sourceEntityName == source.plan.name }.flatMap {
                associations.destinations(of: source.objectID.row, mapping: $0.name ?? "")
            }
        }
        return newObjects(rows)
    }

    /// What old objects have become by a mapping: what has its key already, then what has none yet.
    ///
    /// A policy asks for what it has just made, object by object, so no keys are worked out for that.
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

    /// Gives new objects their keys and notes what belongs together by those.
    ///
    /// When the keys cannot be had, the objects have none and are not found; the next save tells why.
    final func settle() {
        guard !pendingAssociations.isEmpty else { return }
        do {
            try destinationContext.obtainPermanentIDs(for: pendingAssociations.map(\.destination))
        } catch {
            destinationContext.noteReadError(error)
            return
        }
        for (source, destination, mapping) in pendingAssociations where !destination.objectID.isTemporaryID {
            associations.add(source.objectID.row, destination.objectID.row, mapping: mapping)
            settledObjects[destination.objectID.row] = destination
        }
        pendingAssociations = []
    }

    /// Forgets new objects that will not be in the store, before they are let go: those that were deleted before they were
    /// ever saved are in no list of the context.
    final func forgetDeleted() {
        associations.remove(Set(settledObjects.filter { $0.value.status.contains(.gone) }.keys))
        settledObjects = [:]
    }

    /// Forgets new objects that are deleted in the store, whoever saves the context: a policy may do so, too.
    ///
    /// - Returns: What ends that.
    final func forgetDeletedWhenSaved() -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: destinationContext, queue: nil
        ) { [weak self] notification in
            guard let gone = notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> else { return }
            self?.associations.remove(Set(gone.map(\.objectID.row)))
        }
    }

    /// The new objects of rows, without those that are deleted and not forgotten yet.
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
