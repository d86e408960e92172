import SwormPredicates
import SwormStore

// The checks of a save, before it writes anything.
extension SaveOperation {
    /// Calls the objects' `willSave`.
    func callWillSave() throws {
        guard [context.insertedList, context.updatedList, context.deletedList].contains(where: \.hasSubclasses) else {
            return
        }
        // `willSave` may change its object and other ones, which are then called again. The bound stops objects that
        // change themselves each time, and two that undo each other's changes.
        var called = Set<ObjectIdentifier>()
        var waiting: [NSManagedObject] = []
        for _ in 0..<1000 {
            // Only an overridden `willSave` has an effect.
            waiting = (context.insertedList.objects + context.updatedList.objects + context.deletedList.objects)
                .filter {
                    type(of: $0) != NSManagedObject.self
                        && ($0.status.contains(.touched) || !called.contains(ObjectIdentifier($0)))
                }
            if waiting.isEmpty { return }
            for object in waiting {
                called.insert(ObjectIdentifier(object))
                object.status.remove(.touched)
                object.willSave()
            }
        }
        guard let first = waiting.first else { return }
        throw CoreDataError(
            NSCoreDataError,
            "Cannot save: after 1,000 rounds, willSave of \(first.compiledEntity.name) \(first.objectID) still changes its object. Set a value there only if it differs, or use setPrimitiveValue(_:forKey:).",
            entity: first.compiledEntity.name, objects: [first.objectID.reference])
    }

    /// Throws an error if there are relationships between objects of different stores: the key of an object has no
    /// meaning in another store.
    func checkStores() throws {
        guard coordinator.persistentStores.count > 1 else { return }
        var errors: [CoreDataError] = []
        for object in context.insertedList.objects + context.updatedList.objects {
            let own = try context.originForSaving(object, in: coordinator)
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
                    let origin = try context.originForSaving(other, in: coordinator)
                    guard origin !== own else { continue }
                    errors.append(
                        CoreDataError(
                            NSManagedObjectExternalRelationshipError,
                            "\(object.compiledEntity.name) \(object.objectID) cannot be related by '\(relationship.name)' to \(other.objectID): they are in different stores. Assign new objects to the same store before saving them.",
                            entity: object.compiledEntity.name, key: relationship.name,
                            objects: [object.objectID.reference, other.objectID.reference]))
                }
            }
        }
        try CoreDataError.throwAll(errors)
    }
}
