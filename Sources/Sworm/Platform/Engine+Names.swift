import SwormPredicates

extension Engine {
    /// Throws an error if a path contains a relation that the model does not have. Before a request runs, only the
    /// tables that a type refers to directly are compared with the model.
    static func checkRelations(_ paths: [[String]], of entity: String, in context: NSManagedObjectContext) throws {
        let entities = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        for path in paths {
            var entity = entities[entity]
            for name in path {
                guard let relation = entity?.relationshipsByName[name] else {
                    throw unknownName(
                        "relation", name, entity?.name ?? "", (entity?.relationshipsByName.keys).map(Array.init) ?? [])
                }
                entity = relation.destinationEntity
            }
        }
    }

    static func unknownEntity(_ name: String, names: [String]) -> StoreError {
        let nearest = nearestNameHint(to: name, in: names)
        return StoreError(.unknownName, "The model has no entity \"\(name)\".\(nearest)", entity: name)
    }

    static func unknownName(_ kind: String, _ name: String, _ entity: String, _ names: [String]) -> StoreError {
        let nearest = nearestNameHint(to: name, in: names)
        return StoreError(
            .unknownName, "The model's \(entity) has no \(kind) \"\(name)\".\(nearest)", entity: entity, attribute: name
        )
    }

    static func wrongType(_ attribute: AttributeMapping, _ entity: String, _ type: AttributeType) -> StoreError {
        StoreError(
            .contractViolation,
            "\(entity).\(attribute.name) is \(attribute.typeName) in the table and \(type.summary) in the model. Make them agree.",
            entity: entity, attribute: attribute.name)
    }
}
