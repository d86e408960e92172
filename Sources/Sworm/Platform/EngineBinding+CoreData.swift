#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

/// The mapping from a type's tables to the model.
final class EngineBinding<T: ManagedObjectConvertible> {
    let mapping: EntityMapping<T>
    let entity: NSEntityDescription
    /// The model, retained because entities of Core Data do not retain it.
    private let model: NSManagedObjectModel

    init(_ mapping: EntityMapping<T>, in context: NSManagedObjectContext) throws {
        let model = context.persistentStoreCoordinator?.managedObjectModel
        guard let model, let entity = model.entitiesByName[mapping.entityName] else {
            throw Engine.unknownEntity(mapping.entityName, names: model.map { Array($0.entitiesByName.keys) } ?? [])
        }
        for attribute in mapping.attributes {
            guard let description = entity.attribute(at: attribute.name) else {
                throw Engine.unknownName(
                    "attribute", attribute.name, mapping.entityName, Array(entity.attributesByName.keys))
            }
            guard let type = AttributeType(rawValue: UInt32(description.attributeType.rawValue)),
                Engine.accepts(type, as: attribute)
            else {
                throw Engine.wrongType(
                    attribute, mapping.entityName,
                    AttributeType(rawValue: UInt32(description.attributeType.rawValue)) ?? .undefined)
            }
        }
        for relation in mapping.relations where entity.relationshipsByName[relation.name] == nil {
            throw Engine.unknownName(
                "relation", relation.name, mapping.entityName, Array(entity.relationshipsByName.keys))
        }
        self.mapping = mapping
        self.entity = entity
        self.model = model
    }

    /// Whether the binding was created for the model that a context uses.
    func fits(_ context: NSManagedObjectContext) -> Bool {
        context.persistentStoreCoordinator?.managedObjectModel === model
    }
}
#endif
