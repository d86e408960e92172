import Foundation
import SwormStore

// The choice of the side of a relationship that is set, if setting one side is sufficient.
extension NSMigrationManager {
    /// Returns whether a to-many relationship need not be set, because each of its objects sets its own side.
    ///
    /// Setting both sides has the same result, but reads all members of the relationship.
    final func isSetByInverse(_ property: NSPropertyMapping, in mapping: NSEntityMapping) -> Bool {
        let key = "\(mapping.name ?? "")/\(property.name ?? "")"
        if let known = setByInverse[key] { return known }
        let result = inverseSets(property, in: mapping)
        setByInverse[key] = result
        return result
    }

    private func inverseSets(_ property: NSPropertyMapping, in mapping: NSEntityMapping) -> Bool {
        guard case .relationship(let formerName)? = property.value,
            let relationship = destinationEntity(for: mapping)?.relationshipsByName[property.name ?? ""],
            let former = sourceEntity(for: mapping)?.relationshipsByName[formerName],
            relationship.isToMany, !relationship.isOrdered, let inverse = relationship.inverseRelationship,
            let formerInverse = former.inverseRelationship, let destination = relationship.destinationEntity
        else { return false }
        let others = (mappingModel?.entityMappings ?? []).filter { other in
            other.carriesObjects && destinationEntity(for: other)?.isKindOf(entity: destination) ?? true
        }
        let areSet = others.allSatisfy { other in
            setsRelationships(other) && other.destinationEntityName != nil
                && (other.relationshipMappings ?? []).contains { side in
                    guard side.name == inverse.name, case .relationship(let name)? = side.value else { return false }
                    return name == formerInverse.name
                }
        }
        guard areSet, inverse.isToMany else { return areSet }
        // An object that several mappings created keeps the links of the mapping that is processed last.
        guard others.count == 1 || others.allSatisfy({ $0.policyType == NSEntityMigrationPolicy.self }),
            callsNoCustomCode(mapping)
        else { return false }
        return isLed(relationship, by: inverse)
    }

    /// Returns whether the relationships of all objects that a mapping created are set as the mapping specifies.
    private func setsRelationships(_ mapping: NSEntityMapping) -> Bool {
        if mapping.policyType == NSEntityMigrationPolicy.self { return true }
        // A closure may have associated objects of other entities, which are not set.
        guard mapping.setsRelationshipsAsMapped,
            let entity = mapping.destinationEntityName.flatMap({ destinationContext.compiledModel?.entity(named: $0) })
        else { return false }
        return associations.hasOnly(entity: entity.number, mapping: mapping.name ?? "")
    }

    /// Returns whether the relationships of a mapping's objects are set without calling code of the application, so
    /// that their order cannot be observed.
    private func callsNoCustomCode(_ mapping: NSEntityMapping) -> Bool {
        mapping.policyType == NSEntityMigrationPolicy.self || mapping.setsRelationshipsAlone
    }

    /// Returns whether the inverse is the side of a many-to-many relationship that is set. This is the side of the
    /// entity with more objects, so that each object refers to few.
    private func isLed(_ relationship: NSRelationshipDescription, by inverse: NSRelationshipDescription) -> Bool {
        guard let model = destinationContext.compiledModel, let far = relationship.destinationEntity?.name,
            let near = inverse.destinationEntity?.name,
            let (own, ownPath) = side(relationship.name, of: near, in: model),
            let (other, otherPath) = side(inverse.name, of: far, in: model), ownPath != otherPath
        else { return false }
        return (own, ownPath) < (other, otherPath)
    }

    /// Returns the number of objects that have a relationship, and the path of the relationship with the entity that
    /// declares it.
    private func side(_ name: String, of entity: String, in model: CompiledModel) -> (count: Int, path: String)? {
        guard let compiledEntity = model.entity(named: entity),
            case .relationship(let slot)? = compiledEntity.slot(named: name)
        else {
            return nil
        }
        let owner = model[compiledEntity.relationships[slot].owner].name
        let path = "\(owner).\(name)"
        if let known = counts[owner] { return (known, path) }
        guard let count = try? destinationContext.count(for: NSFetchRequest<NSManagedObject>(entityName: owner)) else {
            return nil
        }
        counts[owner] = count
        return (count, path)
    }

    /// Returns the steps in the order in which they set relationships. Steps with ordered to-many relationships come
    /// first if the order cannot be observed.
    ///
    /// The links of the inverse relationships are then already set. Otherwise each batch of the inverse side would have
    /// to find a position after all existing members.
    final func inOrderOfRelationships(_ steps: [Step]) -> [Step] {
        func isFirst(_ step: Step) -> Bool {
            guard callsNoCustomCode(step.mapping) else { return false }
            let relationships = destinationEntity(for: step.mapping)?.relationshipsByName ?? [:]
            return (step.mapping.relationshipMappings ?? []).contains { property in
                guard let relationship = relationships[property.name ?? ""] else { return false }
                return relationship.isToMany && relationship.isOrdered
                    && !(relationship.inverseRelationship?.isOrdered ?? false)
            }
        }
        return steps.filter(isFirst) + steps.filter { !isFirst($0) }
    }
}
