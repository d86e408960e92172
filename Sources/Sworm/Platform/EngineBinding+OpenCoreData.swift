#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// The mapping from a type's tables to the engine's model, by slots, so that no later access looks up a name.
final class EngineBinding<T: ManagedObjectConvertible> {
    let mapping: EntityMapping<T>
    let entity: CompiledEntity
    /// The slot of each attribute, by its index in the mapping; -1 for a composite that a type represents as a whole.
    let attributes: [Int]
    /// The composite attributes that a type represents as a whole, by the index in the mapping.
    let composites: [Int: NSCompositeAttributeDescription]
    /// Whether the table has all attributes of the entity, in the order of their slots.
    let isWhole: Bool
    let description: NSEntityDescription
    /// The slot of each relationship, by the name of the relation.
    let relations: [String: Int]
    /// The mapping for decoding values from rows; nil if an attribute has to be read through an object.
    let rowPlan: RowPlan<T>?
    /// The mapping for encoding values into rows.
    let writePlan: WritePlan<T>

    init(_ mapping: EntityMapping<T>, in context: NSManagedObjectContext) throws {
        guard let model = context.compiledModel, let entity = model.entity(named: mapping.entityName) else {
            throw Engine.unknownEntity(mapping.entityName, names: context.compiledModel?.entities.map(\.name) ?? [])
        }
        guard let description = context.coordinator?.managedObjectModel.entitiesByName[entity.name] else {
            throw Engine.unknownEntity(mapping.entityName, names: [])
        }
        self.mapping = mapping
        self.entity = entity
        self.description = description
        var composites: [Int: NSCompositeAttributeDescription] = [:]
        attributes = try mapping.attributes.enumerated().map { index, attribute in
            if let composite = Engine.composite(attribute, description) {
                guard Engine.accepts(.composite, as: attribute) else {
                    throw Engine.wrongType(attribute, entity.name, .composite)
                }
                composites[index] = composite
                return -1
            }
            guard case .attribute(let slot) = entity.slot(named: attribute.name) else {
                throw Engine.unknownName("attribute", attribute.name, entity.name, entity.attributes.map(\.name))
            }
            let type = entity.attributes[slot].type
            guard Engine.accepts(type, as: attribute.kind) else {
                throw Engine.wrongType(attribute, entity.name, type)
            }
            return slot
        }
        self.composites = composites
        var relations: [String: Int] = [:]
        for relation in mapping.relations {
            guard case .relationship(let slot) = entity.slot(named: relation.name) else {
                throw Engine.unknownName("relation", relation.name, entity.name, entity.relationships.map(\.name))
            }
            relations[relation.name] = slot
        }
        self.relations = relations
        isWhole = attributes == Array(entity.attributes.indices)
        rowPlan = composites.isEmpty ? Self.makeRowPlan(mapping, entity, attributes) : nil
        writePlan = Self.makeWritePlan(mapping, entity, attributes, composites)
    }

    /// Whether the binding was created for the model that a context uses.
    func fits(_ context: NSManagedObjectContext) -> Bool {
        context.coordinator?.managedObjectModel === description.managedObjectModel
    }

    private static func makeRowPlan(
        _ mapping: EntityMapping<T>, _ entity: CompiledEntity, _ slots: [Int]
    ) -> RowPlan<T>? {
        var ops: [RowOp] = []
        var customs: [RowPlan<T>.Custom] = []
        for (index, attribute) in mapping.attributes.enumerated() {
            let description = entity.attributes[slots[index]]
            if description.isTransient { return nil }
            // Column 0 is the primary key.
            let column = Int32(index + 1)
            if let offset = attribute.directOffset {
                ops.append(
                    RowOp(
                        column: column, kind: FieldKind(attribute.kind, isOptional: attribute.isOptional),
                        offset: offset, isExternal: description.allowsExternalStorage))
                continue
            }
            if description.allowsExternalStorage { return nil }
            let kind = attribute.kind
            let apply: @Sendable (inout T, borrowing ColumnView) throws -> Void = { object, view in
                try mapping.write(try kind.value(in: view), at: index, into: &object)
            }
            customs.append(RowPlan<T>.Custom(column: column, apply: apply))
        }
        return RowPlan(ops: ops, customs: customs, makesEach: !mapping.sharesTemplate) { T() }
    }
}

extension PrimitiveKind {
    /// Returns the value of a column.
    func value(in view: borrowing ColumnView) throws -> AttributeValue {
        if view.isNull { return .null }
        return switch self {
        case .bool: .bool(try view.bool())
        case .int, .int16, .int32, .int64: .int(try view.int64())
        case .float, .double: .double(try view.double())
        case .decimal: .decimal(try view.decimal())
        case .date: .date(try view.date())
        case .string: .string(try view.string())
        case .data: .data(try view.data())
        case .uuid: .uuid(try view.uuid())
        case .url: .url(try view.url())
        }
    }
}

extension FieldKind {
    init(_ kind: PrimitiveKind, isOptional: Bool) {
        self =
            switch kind {
            case .bool: isOptional ? .optionalBool : .bool
            case .int: isOptional ? .optionalInt : .int
            case .int16: isOptional ? .optionalInt16 : .int16
            case .int32: isOptional ? .optionalInt32 : .int32
            case .int64: isOptional ? .optionalInt64 : .int64
            case .float: isOptional ? .optionalFloat : .float
            case .double: isOptional ? .optionalDouble : .double
            case .decimal: isOptional ? .optionalDecimal : .decimal
            case .date: isOptional ? .optionalDate : .date
            case .string: isOptional ? .optionalString : .string
            case .data: isOptional ? .optionalData : .data
            case .uuid: isOptional ? .optionalUUID : .uuid
            case .url: isOptional ? .optionalURL : .url
            }
    }
}

extension EngineBinding {
    func slot(_ relation: String) throws -> Int {
        guard let slot = relations[relation] else {
            throw Engine.unknownName("relation", relation, entity.name, entity.relationships.map(\.name))
        }
        return slot
    }
}
#endif
