#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

/// The mapping from a type's tables to the model.
///
/// @unchecked: a binding never changes, and refers to the descriptions of a model that is in use and therefore does not
/// change either.
final class EntityBinding<T: ManagedTreeConvertible>: @unchecked Sendable {
    let mapping: EntityMapping<T>
    let entity: NSEntityDescription
    /// The cases of an enum of structs; nil for any other type.
    let cases: CaseBindings<T>?
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
        cases = try CaseBindings(mapping, of: entity, in: context)
    }

    /// Returns whether the binding was created for the model that a context uses.
    func fits(_ context: NSManagedObjectContext) -> Bool {
        context.persistentStoreCoordinator?.managedObjectModel === model
    }

    var isAbstract: Bool { entity.isAbstract }
}

/// An entity of the model.
typealias ModelEntity = NSEntityDescription

/// The key by which an entity is found among the cases of an enum: its name.
typealias EntityKey = String

extension ModelEntity {
    var key: EntityKey { name ?? "" }

    /// The keys of the entity and its sub-entities.
    var familyKeys: [EntityKey] { family.map(\.key) }
}

extension EntityBinding {
    func entityName(of key: EntityKey) -> String { key }
}

extension NSManagedObject {
    var entityKey: EntityKey { entity.key }
}

extension FetchedRows {
    func entityKey(_ row: Int) -> EntityKey { ids[row].entity.key }
}
#endif
