import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// The policy of a context to which none was assigned.
    final var defaultMergePolicy: Any { NSMergePolicy.error }

    /// The kind of the merge policy.
    final var mergeType: NSMergePolicyType { (mergePolicy as? NSMergePolicy)?.mergeType ?? .errorMergePolicyType }

    /// Throws the errors of all unsaved changes that are not valid.
    final func validateChanges() throws {
        var errors: [CoreDataError] = []
        func collect(_ object: NSManagedObject, _ validate: () throws -> Void) throws {
            do {
                try validate()
            } catch {
                errors +=
                    error.asCoreData?.flattened ?? [
                        .ofApplication(
                            error, "\(object.compiledEntity.name) \(object.objectID) is not valid: \(error)",
                            entity: object.compiledEntity.name, objects: [object.objectID.reference])
                    ]
            }
        }
        guard validation != .later else {
            return try CoreDataError.throwAll((insertedList.objects + updatedList.objects).flatMap(\.refusals))
        }
        // Use copies of the lists, because a custom class may change objects while it validates them.
        let (inserted, updated, deleted) = (insertedList, updatedList, deletedList)
        try deleted.forEach { object in try collect(object) { try object.validateForDelete() } }
        try inserted.forEach { object in
            if object.compiledEntity.isAbstract {
                errors.append(
                    CoreDataError(
                        NSManagedObjectValidationError,
                        "Cannot save an object of \(object.compiledEntity.name): the entity is abstract. Insert an object of one of its sub-entities.",
                        entity: object.compiledEntity.name, objects: [object.objectID.reference]))
                return
            }
            try collect(object) { try object.validateForInsert() }
        }
        try updated.forEach { object in try collect(object) { try object.validateForUpdate() } }
        try CoreDataError.throwAll(errors)
    }
}
