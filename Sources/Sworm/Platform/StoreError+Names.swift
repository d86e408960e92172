import SwormPredicates

extension StoreError {
    /// Returns the error for an entity that the model does not have.
    static func unknownEntity(_ name: String, among names: [String]) -> StoreError {
        let nearest = nearestNameHint(to: name, in: names)
        return StoreError(.unknownName, "The model has no entity '\(name)'.\(nearest)", entity: name)
    }

    /// Returns the error for an attribute or a relation that an entity of the model does not have.
    static func unknownName(_ name: String, kind: String, of entity: String, among names: [String]) -> StoreError {
        let nearest = nearestNameHint(to: name, in: names)
        return StoreError(
            .unknownName, "The entity \(entity) of the model has no \(kind) '\(name)'.\(nearest)", entity: entity,
            attribute: name
        )
    }

    /// Returns the error for an attribute that has another type in the model than in the table.
    static func wrongType(_ type: AttributeType, of attribute: AttributeMapping, in entity: String) -> StoreError {
        StoreError(
            .contractViolation,
            "\(entity).\(attribute.name) is \(attribute.typeName) in the table and \(type.summary) in the model. Use the same type in both.",
            entity: entity, attribute: attribute.name)
    }
}

extension NSManagedObjectContext {
    /// Throws an error if a path contains a relation that the model does not have. Before a request runs, only the
    /// tables that a type refers to directly are compared with the model.
    func checkRelations(_ paths: [[String]], ofEntity entity: String) throws {
        let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        for path in paths {
            var entity = entities[entity]
            for name in path {
                guard let relation = entity?.relationshipsByName[name] else {
                    throw StoreError.unknownName(
                        name, kind: "relation", of: entity?.name ?? "",
                        among: (entity?.relationshipsByName.keys).map(Array.init) ?? [])
                }
                entity = relation.destinationEntity
            }
        }
    }

    /// Whether the context has exactly one store, so that it can hold a single write lock for everything that it
    /// writes.
    var hasOneStore: Bool { persistentStoreCoordinator?.persistentStores.count == 1 }
}
