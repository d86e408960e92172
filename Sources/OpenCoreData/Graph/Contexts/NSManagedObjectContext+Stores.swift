import SwormPredicates
import SwormStore

// The stores of a context, and the choice of the store for a new object.
extension NSManagedObjectContext {
    final func requireCoordinator() throws -> NSPersistentStoreCoordinator {
        guard let coordinator = currentCoordinator else {
            throw CoreDataError(
                NSCoreDataError, "The context has no persistent store coordinator. Set one before using the context.")
        }
        return coordinator
    }

    /// Chooses the store for a new object. See ``assign(_:to:)``.
    final func assignObject(_ object: Any, to store: NSPersistentStore) {
        guard let managed = object as? NSManagedObject, managed.context === self, managed.isInserted else { return }
        saving.assign(managed, to: store)
    }

    /// Assigns permanent ids to objects. See ``obtainPermanentIDs(for:)``.
    final func assignPermanentIDs(to objects: [NSManagedObject]) throws {
        if let parent = nesting.parent {
            let waiting = objects.filter { $0.objectID.isTemporaryID && $0.context === self }
            var stores: [RowID: NSPersistentStore] = [:]
            for object in waiting { stores[object.objectID.row] = saving.assignedStores[ObjectIdentifier(object)] }
            let ids = try reservePermanentIDs(for: waiting.map(\.objectID.row), in: stores, from: parent)
            for object in waiting {
                guard let id = ids[object.objectID.row] else { continue }
                identities[temporaryKey(of: object)] = nil
                // Rows of this context may name the object by its temporary id.
                nesting.permanentIDs[object.objectID.row] = id
                promote(object, to: id.key, origin: id.origin)
            }
            return
        }
        var byRoot: [Int: [NSManagedObject]] = [:]
        for object in objects where object.objectID.isTemporaryID && object.context === self {
            byRoot[object.compiledEntity.root, default: []].append(object)
        }
        for (root, members) in byRoot {
            for (origin, group) in try groupedByOrigin(members) {
                guard let store = origin.store?.objectStore else { continue }
                let first =
                    try transactions[origin]?.reserveKeys(root: root, count: group.count)
                    ?? store.reserveKeys(root: root, count: group.count, interruption.token)
                for (index, object) in group.enumerated() {
                    identities[temporaryKey(of: object)] = nil
                    promote(object, to: first + Int64(index), origin: origin)
                }
            }
        }
    }

    private func groupedByOrigin(_ objects: [NSManagedObject]) throws -> [(ObjectOrigin, [NSManagedObject])] {
        let coordinator = try requireCoordinator()
        var groups: [(ObjectOrigin, [NSManagedObject])] = []
        for object in objects {
            let origin = try originForSaving(object, in: coordinator)
            if let last = groups.indices.last, groups[last].0 === origin {
                groups[last].1.append(object)
            } else if let index = groups.firstIndex(where: { $0.0 === origin }) {
                groups[index].1.append(object)
            } else {
                groups.append((origin, [object]))
            }
        }
        return groups
    }

    /// Returns the origin of the store that contains, or will contain, an object.
    final func originForSaving(
        _ object: NSManagedObject, in coordinator: NSPersistentStoreCoordinator
    ) throws -> ObjectOrigin {
        if !object.objectID.isTemporaryID { return object.objectID.origin }
        if saving.assignedStores.isEmpty, let known = saving.origin(ofEntity: object.compiledEntity.number) {
            return known
        }
        let assigned = saving.assignedStores.isEmpty ? nil : saving.assignedStores[ObjectIdentifier(object)]
        let chosen = try receivingOrigin(of: object.objectID.row, assigned: assigned, in: coordinator)
        if assigned == nil { saving.choose(chosen, forEntity: object.compiledEntity.number) }
        return chosen
    }

    /// Returns the origin of the store that receives a new object.
    ///
    /// - Parameters:
    ///   - row: The temporary identity of the object.
    ///   - assigned: The store that the application has chosen; nil for the first one that can be written.
    /// - Throws: A ``CoreDataError`` if the store cannot receive the object.
    final func receivingOrigin(
        of row: RowID, assigned: NSPersistentStore?, in coordinator: NSPersistentStoreCoordinator
    ) throws -> ObjectOrigin {
        let origins = try coordinator.origins(of: row.entity)
        guard let assigned else { return origins.first { !($0.store?.isReadOnly ?? true) } ?? origins[0] }
        if let origin = origins.first(where: { $0 === assigned.origin }) { return origin }
        let name = coordinator.compiledModel[row.entity].name
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "\(name) was assigned to a store that does not belong to the coordinator, or does not hold its entity.",
            entity: name, objects: [ObjectReference(storeIdentifier: nil, entityName: name, key: row.key)])
    }

    /// Returns the identifier of the store that keeps the objects of an entity; nil unless there is exactly one.
    package final func storeIdentifier(ofEntity number: Int) throws -> String? {
        let origins = try requireCoordinator().origins(of: number)
        return origins.count == 1 ? origins[0].storeIdentifier : nil
    }
}
