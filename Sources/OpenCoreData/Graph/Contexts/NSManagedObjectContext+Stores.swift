import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Throws an error if there are relationships between objects of different stores: the key of an object has no
    /// meaning in another store.
    final func checkStores(_ coordinator: NSPersistentStoreCoordinator) throws {
        guard coordinator.persistentStores.count > 1 else { return }
        var errors: [CoreDataError] = []
        for object in insertedList.objects + updatedList.objects {
            let own = try originForSaving(object, in: coordinator)
            for (slot, relationship) in object.compiledEntity.relationships.enumerated() where !relationship.isTransient
            {
                guard object.status.contains(.inserted) || object.changedRelationships.contains(slot) else { continue }
                let others: [NSManagedObject] =
                    switch object.relationshipState(slot) {
                    case .untouched: []
                    case .toOne(let destination): destination.map { [$0] } ?? []
                    case .toMany(let members): members.noted.added
                    }
                for other in others where other.status.isDisjoint(with: [.deleted, .gone]) {
                    let origin = try originForSaving(other, in: coordinator)
                    guard origin !== own else { continue }
                    errors.append(
                        CoreDataError(
                            NSManagedObjectExternalRelationshipError,
                            "\(object.compiledEntity.name) \(object.objectID) cannot be related by '\(relationship.name)' to \(other.objectID): they are in different stores. Assign new objects to one store before they are saved.",
                            entity: object.compiledEntity.name, key: relationship.name,
                            objects: [object.objectID.reference, other.objectID.reference]))
                }
            }
        }
        try CoreDataError.throwAll(errors)
    }

    /// Removes objects whose deletion was saved from relationships that no rule has cleared: relationships without an
    /// inverse, and those whose inverse has the rule "no action".
    final func forgetReferences(to deleted: [NSManagedObject]) {
        guard let model = compiledModel, !deleted.isEmpty else { return }
        let numbers = Set(deleted.map(\.compiledEntity.number))
        func stays(_ relationship: CompiledRelationship) -> Bool {
            let destination = model[relationship.destination]
            guard numbers.contains(where: destination.family.contains) else { return false }
            return relationship.inverse.map { destination.relationships[$0].deleteRule == .noActionDeleteRule } ?? true
        }
        let slots = model.entities.map { entity in
            entity.relationships.indices.filter { entity.relationships[$0].isToMany && stays(entity.relationships[$0]) }
        }
        guard slots.contains(where: { !$0.isEmpty }) else { return }
        for object in identities.objects where model.entities.indices.contains(object.compiledEntity.number - 1) {
            for slot in slots[object.compiledEntity.number - 1] {
                if case .toMany(let members) = object.relationshipState(slot) { members.dropGone() }
            }
        }
    }

    final func requireCoordinator() throws -> NSPersistentStoreCoordinator {
        guard let coordinator else {
            throw CoreDataError(
                NSCoreDataError, "The context has no persistent store coordinator. Set one before it is used.")
        }
        return coordinator
    }
}
