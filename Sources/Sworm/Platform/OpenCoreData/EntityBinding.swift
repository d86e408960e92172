#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// The mapping from a type's tables to the engine's model, by slots, so that no later access looks up a name.
///
/// @unchecked: a binding never changes, and refers to the descriptions of a model that is in use and therefore does not
/// change either.
final class EntityBinding<T: ManagedTreeConvertible>: @unchecked Sendable {
    let mapping: EntityMapping<T>
    let entity: CompiledEntity
    /// The slot of each attribute, by its index in the mapping; -1 for a composite that a type represents as a whole.
    let attributes: [Int]
    /// The composite attributes that a type represents as a whole, by the index in the mapping.
    let composites: [Int: NSCompositeAttributeDescription]
    /// The cases of an enum of structs; nil for any other type.
    let cases: CaseBindings<T>?
    /// Whether the table has all attributes of the entity, in the order of their slots.
    let isWhole: Bool
    let description: NSEntityDescription
    private let model: CompiledModel
    /// The slot of each relationship, by the name of the relation.
    let relations: [String: Int]
    /// The mapping for decoding values from rows; nil if an attribute has to be read through an object.
    let rows: PlannedRows<T>?
    /// The mapping for decoding values from rows that have integers behind the values, for trees.
    let treeRows: PlannedRows<T>?
    /// The mapping for decoding values, identities and versions from rows, for live requests.
    let liveRows: PlannedRows<LiveRecord<T>>?
    /// The mapping for encoding values into rows.
    let writePlan: WritePlan<T>

    init(_ mapping: EntityMapping<T>, in context: NSManagedObjectContext) throws {
        guard let model = context.compiledModel, let entity = model.entity(named: mapping.entityName) else {
            throw StoreError.unknownEntity(
                mapping.entityName, among: context.compiledModel?.entities.map(\.name) ?? [])
        }
        guard let description = context.coordinator?.managedObjectModel.entitiesByName[entity.name] else {
            throw StoreError.unknownEntity(mapping.entityName, among: [])
        }
        self.mapping = mapping
        self.entity = entity
        self.description = description
        self.model = model
        var composites: [Int: NSCompositeAttributeDescription] = [:]
        attributes = try mapping.attributes.enumerated().map { index, attribute in
            if let composite = description.composite(for: attribute) {
                guard attribute.accepts(.composite) else {
                    throw StoreError.wrongType(.composite, of: attribute, in: entity.name)
                }
                composites[index] = composite
                return -1
            }
            guard case .attribute(let slot) = entity.slot(named: attribute.name) else {
                throw StoreError.unknownName(
                    attribute.name, kind: "attribute", of: entity.name, among: entity.attributes.map(\.name))
            }
            let type = entity.attributes[slot].type
            guard attribute.kind.accepts(type) else {
                throw StoreError.wrongType(type, of: attribute, in: entity.name)
            }
            return slot
        }
        self.composites = composites
        var relations: [String: Int] = [:]
        for relation in mapping.relations {
            guard case .relationship(let slot) = entity.slot(named: relation.name) else {
                throw Self.unknownRelation(relation.name, of: entity)
            }
            relations[relation.name] = slot
        }
        self.relations = relations
        isWhole = attributes == Array(entity.attributes.indices)
        let cases = try CaseBindings(mapping, of: entity, in: context)
        self.cases = cases
        let source = PlanSource(
            mapping: mapping, entity: entity, slots: attributes, hasWholes: !composites.isEmpty, cases: cases)
        rows = source.rows()
        liveRows = source.liveRows()
        treeRows = cases == nil ? rows : source.assignedRows()
        writePlan = Self.makeWritePlan(
            mapping, entity: entity, slots: attributes, composites: composites)
    }

    /// Returns whether the binding was created for the model that a context uses.
    func fits(_ context: NSManagedObjectContext) -> Bool {
        context.coordinator?.managedObjectModel === description.managedObjectModel
    }
}

extension EntityBinding {
    /// Returns the slot of a relation.
    func slot(of relation: String) throws -> Int {
        guard let slot = relations[relation] else {
            throw Self.unknownRelation(relation, of: entity)
        }
        return slot
    }

    private static func unknownRelation(_ name: String, of entity: CompiledEntity) -> StoreError {
        .unknownName(name, kind: "relation", of: entity.name, among: entity.relationships.map(\.name))
    }

    var isAbstract: Bool { entity.isAbstract }
}

/// An entity of the model.
typealias ModelEntity = CompiledEntity

/// The key by which an entity is found among the cases of an enum: its number.
typealias EntityKey = Int

extension ModelEntity {
    var key: EntityKey { number }

    /// The keys of the entity and its sub-entities.
    var familyKeys: [EntityKey] { Array(family) }
}

extension EntityBinding {
    func entityName(of key: EntityKey) -> String { model[key].name }

    /// Returns whether an entity is that of the binding or one of its super-entities.
    func inherits(fromEntityNamed name: String) -> Bool {
        var next: CompiledEntity? = entity
        while let entity = next {
            if entity.name == name { return true }
            next = entity.superentity.map { model[$0] }
        }
        return false
    }
}

extension NSManagedObject {
    var entityKey: EntityKey { entityNumber }
}

extension FetchedRows {
    func entityKey(_ row: Int) -> EntityKey { entityNumber(row) }
}
#endif
