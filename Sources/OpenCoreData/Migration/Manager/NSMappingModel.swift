public import Foundation
import SwormPredicates
import SwormStore

/// A model that specifies how the objects of an old model are migrated to a new one.
///
/// Create one in code, or modify an inferred one. Compiled mapping models of Xcode cannot be read, because they contain
/// expressions that only Apple's Foundation supports.
open class NSMappingModel: NSObject {
    /// The entity mappings, in the order in which the objects are migrated.
    open var entityMappings: [NSEntityMapping]! = []

    /// The entity mappings by their names.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary(
            (entityMappings ?? []).map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Creates a model without mappings.
    public override init() { super.init() }

    /// Creates a mapping model from a compiled file.
    ///
    /// - Parameter url: The URL of the file.
    /// - Returns: nil, because compiled mapping models cannot be read.
    public convenience init?(contentsOf url: URL?) { nil }

    /// Creates the mapping model between two models from a compiled file among the resources of bundles.
    ///
    /// - Parameters:
    ///   - bundles: The bundles; nil for the main bundle.
    ///   - sourceModel: The old model.
    ///   - destinationModel: The new model.
    /// - Returns: nil, because compiled mapping models cannot be read. Infer the mapping, or create it in code.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        nil
    }

    /// Returns the inferred mapping between two models, by names and renaming identifiers.
    ///
    /// Entities and properties may be added, removed, renamed, and moved within a hierarchy; a property that becomes
    /// required needs a default value; relationships may become to-one or to-many, ordered or unordered; numbers may
    /// become larger numbers of the same kind.
    ///
    /// - Parameters:
    ///   - sourceModel: The old model.
    ///   - destinationModel: The new model.
    /// - Throws: An error with the code `NSInferredMappingModelError` that lists every reason why no mapping can be
    ///   inferred, also as separate errors under `NSDetailedErrorsKey`; or the issues of a model that is invalid.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let mapping = try throwingCocoaErrors { try ModelMapping.inferred(from: sourceModel, to: destinationModel) }
        let model = NSMappingModel()
        let hashes = (sourceModel.entityVersionHashesByName, destinationModel.entityVersionHashesByName)
        model.entityMappings = mapping.entities.map { entity in
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
            property.destination.map { NSPropertyMapping($0, property.source.map(ExpressionTree.source)) }
        }
        relationshipMappings = entity.relationships.compactMap { property in
            property.destination.map { NSPropertyMapping($0, property.source.map(ExpressionTree.successors)) }
        }
    }
}

extension NSPropertyMapping {
    fileprivate convenience init(_ name: String, _ value: ExpressionTree?) {
        self.init()
        self.name = name
        valueExpression = value.map { NSExpression.make($0) }
    }
}

extension ExpressionTree {
    /// Returns the expression for a property of the old object.
    fileprivate static func source(_ keyPath: String) -> ExpressionTree {
        keyPath.split(separator: ".").reduce(.variable("source")) { .key($0, String($1)) }
    }

    /// Returns the expression for the new objects of the destinations of a relationship of the old object.
    fileprivate static func successors(_ name: String) -> ExpressionTree {
        .function(
            MigrationMessage.successorsOfRelationship.rawValue,
            [.variable("manager"), .value(.string(name)), source(name)])
    }
}
