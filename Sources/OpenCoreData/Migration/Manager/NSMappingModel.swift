public import Foundation
import SwormStore

/// Says what the objects of an old model become in a new one.
///
/// Make one in code, or let it be inferred and change what is to be otherwise. Compiled mapping models of Xcode are not
/// read: they hold expressions that only Apple's Foundation knows.
open class NSMappingModel: NSObject {
    /// What becomes of each entity, in the order in which the objects are carried over.
    open var entityMappings: [NSEntityMapping]! = []

    /// The mappings by their names.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary(
            (entityMappings ?? []).map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Makes a model without mappings.
    public override init() { super.init() }

    /// Infers the mapping between two models, by names and renaming identifiers.
    ///
    /// Entities and properties may come, go, be renamed, and move within a hierarchy; what is required now needs a default
    /// value; relationships may become to-one or to-many, ordered or not; numbers may become larger ones of the same kind.
    ///
    /// - Parameters:
    ///   - sourceModel: The old model.
    ///   - destinationModel: The new model.
    /// - Throws: An error with the code `NSInferredMappingModelError` that lists every reason why none can be inferred, each
    ///   of them under `NSDetailedErrorsKey` too; or the faults of a model that cannot be used at all.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let model = NSMappingModel()
        let hashes = (sourceModel.entityVersionHashesByName, destinationModel.entityVersionHashesByName)
        model.entityMappings = try ModelMapping.inferred(from: sourceModel, to: destinationModel).entities.map {
            entity in
            NSEntityMapping(
                entity, sourceHash: entity.source.flatMap { hashes.0[$0] },
                destinationHash: entity.destination.flatMap { hashes.1[$0] })
        }
        return model
    }
}

extension NSEntityMapping {
    fileprivate convenience init(_ entity: ModelMapping.Entity, sourceHash: Data?, destinationHash: Data?) {
        self.init()
        let kind: String
        switch (entity.source, entity.destination) {
        case (nil, _): (mappingType, kind) = (.addEntityMappingType, "Add")
        case (_, nil): (mappingType, kind) = (.removeEntityMappingType, "Remove")
        case (let old, let new) where old == new && sourceHash == destinationHash:
            (mappingType, kind) = (.copyEntityMappingType, "Copy")
        default: (mappingType, kind) = (.transformEntityMappingType, "Transform")
        }
        name = "IEM_\(kind)_\(entity.destination ?? entity.source ?? "")"
        sourceEntityName = entity.source
        sourceEntityVersionHash = sourceHash
        destinationEntityName = entity.destination
        destinationEntityVersionHash = destinationHash
        guard entity.destination != nil else { return }
        attributeMappings = entity.attributes.compactMap { property in
            property.destination.map {
                NSPropertyMapping(name: $0, valueExpression: property.source.map { .source($0) })
            }
        }
        relationshipMappings = entity.relationships.compactMap { property in
            property.destination.map {
                NSPropertyMapping(
                    name: $0,
                    valueExpression: property.source.map { .destinationInstances(forSourceRelationshipNamed: $0) })
            }
        }
    }
}
