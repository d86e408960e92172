#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif
import SwormPredicates

extension NSEntityDescription {
    /// Returns the entity of a step of a key path that continues only with objects of a sub-entity or super-entity.
    func castTarget(_ key: String) -> NSEntityDescription? {
        guard let cast = EntityCast(key), propertiesByName[key] == nil else { return nil }
        return root.family.first { $0.name == cast.entity }
    }

    /// Returns whether objects of the entity belong to that of a step of a key path.
    func isMatched(by key: String, of target: NSEntityDescription) -> Bool {
        EntityCast(key)?.isExact ?? false ? name == target.name : isKindOf(entity: target)
    }

    /// The entity and all entities that inherit from it.
    var family: [NSEntityDescription] { [self] + subentities.flatMap(\.family) }

    /// The entity at the top of the hierarchy.
    var root: NSEntityDescription {
        var entity = self
        while let superentity = entity.superentity { entity = superentity }
        return entity
    }

    /// Returns the topmost entity that has a relation.
    func declarer(ofRelation relation: String) -> NSEntityDescription {
        var entity = self
        while let superentity = entity.superentity, superentity.relationshipsByName[relation] != nil {
            entity = superentity
        }
        return entity
    }

    /// The name, which every entity of a compiled model has.
    var stableName: String { name ?? "" }
}
