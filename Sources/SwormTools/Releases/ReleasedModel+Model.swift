import Foundation
import Sworm
import SwormPredicates

extension ReleasedModel {
    /// Creates the record of a model.
    init(_ model: NSManagedObjectModel) {
        self.init(entities: [:])
        for entity in model.entities {
            guard let name = entity.name else { continue }
            var properties: [String: Property] = [:]
            for property in entity.properties where !property.isTransient {
                properties[property.name] = Property(hash: property.versionHash, says: Self.words(for: property))
            }
            entities[name] = Entity(
                hash: model.entityVersionHashesByName[name] ?? Data(), says: Self.words(for: entity),
                properties: properties)
        }
    }

    private static func words(for entity: NSEntityDescription) -> String {
        Entity.words(
            isAbstract: entity.isAbstract, superentity: entity.superentity?.name,
            constraints: entity.uniquenessConstraints.map { $0.map(name) })
    }

    /// Returns the name of a constraint's element, which may be a string or a property.
    private static func name(_ member: Any) -> String { (member as? NSPropertyDescription)?.name ?? "\(member)" }

    private static func words(for property: NSPropertyDescription) -> String {
        let kind: Property.Kind
        switch property {
        case let attribute as NSAttributeDescription:
            kind = .attribute(
                code: attribute.attributeType.rawValue, isDerived: attribute is NSDerivedAttributeDescription,
                isExternal: attribute.allowsExternalBinaryDataStorage)
        case let relationship as NSRelationshipDescription:
            let destination = relationship.destinationEntity?.name
            let inverse = relationship.inverseRelationship?.name
            let counts = (low: relationship.minCount, high: relationship.maxCount)
            kind =
                relationship.isToMany
                ? .toMany(
                    isOrdered: relationship.isOrdered, destination: destination, inverse: inverse, counts: counts)
                : .toOne(destination: destination, inverse: inverse, counts: counts)
        default: kind = .other
        }
        return Property.words(kind, isOptional: property.isOptional, modifier: property.versionHashModifier)
    }
}
