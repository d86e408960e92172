import Foundation
import SwormPredicates
import SwormStore

extension NSFetchRequest {
    /// Returns the request as a value.
    ///
    /// - Throws: An error that names the entity or key that the model does not have, or describes what is wrong with
    ///   the predicate.
    func specification(in model: CompiledModel) throws -> FetchSpecification {
        guard let entityName else {
            throw CoreDataError(NSCoreDataError, "Cannot execute a fetch request without an entity. Set its entity.")
        }
        guard let entity = model.entity(named: entityName) else {
            throw CoreDataError.unknownEntity(entityName, in: model)
        }
        var specification = FetchSpecification(entity: entity.number)
        specification.includesSubentities = includesSubentities
        specification.predicate = try predicate?.tree()
        specification.sorts = try (sortDescriptors ?? []).map { try $0.sort() }
        specification.limit = max(0, fetchLimit)
        specification.offset = max(0, fetchOffset)
        return specification
    }
}
