import Foundation
import OpenCoreData
import SwormPredicates

extension ReleasedModel {
    /// Creates the record of a model, as a release ledger does.
    init(_ model: NSManagedObjectModel) {
        self.init(entities: [:])
        let hashes = model.entityVersionHashesByName
        for entity in model.entities {
            guard let name = entity.name else { continue }
            let stored = entity.properties.filter { !$0.isTransient }
            entities[name] = Entity(
                hash: hashes[name] ?? Data(),
                says: Entity.words(
                    isAbstract: entity.isAbstract, superentity: entity.superentity?.name,
                    constraints: entity.uniquenessNames),
                properties: Dictionary(
                    stored.map { ($0.name, Property(hash: $0.versionHash, says: Self.words(for: $0))) },
                    uniquingKeysWith: { _, last in last }))
        }
    }

    private static func words(for property: NSPropertyDescription) -> String {
        Property.words(kind(of: property), isOptional: property.isOptional, modifier: property.versionHashModifier)
    }

    private static func kind(of property: NSPropertyDescription) -> Property.Kind {
        switch property {
        case let attribute as NSAttributeDescription:
            return .attribute(
                code: attribute.attributeType.rawValue, isDerived: attribute is NSDerivedAttributeDescription,
                isExternal: attribute.allowsExternalBinaryDataStorage)
        case let relationship as NSRelationshipDescription:
            let (destination, inverse) = (relationship.destinationEntity?.name, relationship.inverseRelationship?.name)
            let counts = (low: relationship.minCount, high: relationship.maxCount)
            guard relationship.isToMany else {
                return .toOne(destination: destination, inverse: inverse, counts: counts)
            }
            return .toMany(
                isOrdered: relationship.isOrdered, destination: destination, inverse: inverse, counts: counts)
        default: return .other
        }
    }
}
