#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

/// The mapping from a type's tables to the model.
///
/// @unchecked: a binding never changes, and refers to the descriptions of a model that is in use and therefore does not
/// change either.
final class EntityBinding<T: ManagedObjectConvertible>: @unchecked Sendable {
    let mapping: EntityMapping<T>
    let entity: NSEntityDescription
    /// The model, retained because entities of Core Data do not retain it.
    private let model: NSManagedObjectModel

    init(_ mapping: EntityMapping<T>, in context: NSManagedObjectContext) throws {
        let model = context.persistentStoreCoordinator?.managedObjectModel
        guard let model, let entity = model.entitiesByName[mapping.entityName] else {
            throw StoreError.unknownEntity(
                mapping.entityName, among: model.map { Array($0.entitiesByName.keys) } ?? [])
        }
        for attribute in mapping.attributes {
            guard let description = entity.attribute(at: attribute.name) else {
                throw StoreError.unknownName(
                    attribute.name, kind: "attribute", of: mapping.entityName,
                    among: Array(entity.attributesByName.keys))
            }
            let type = AttributeType(rawValue: UInt32(description.attributeType.rawValue))
            guard let type, attribute.accepts(type) else {
                throw StoreError.wrongType(type ?? .undefined, of: attribute, in: mapping.entityName)
            }
        }
        for relation in mapping.relations where entity.relationshipsByName[relation.name] == nil {
            throw StoreError.unknownName(
                relation.name, kind: "relation", of: mapping.entityName,
                among: Array(entity.relationshipsByName.keys))
        }
        self.mapping = mapping
        self.entity = entity
        self.model = model
    }

    /// Returns whether the binding was created for the model that a context uses.
    func fits(_ context: NSManagedObjectContext) -> Bool {
        context.persistentStoreCoordinator?.managedObjectModel === model
    }

    var isAbstract: Bool { entity.isAbstract }
}

/// An entity of the model.
typealias ModelEntity = NSEntityDescription
#endif
