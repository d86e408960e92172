import Foundation
import SwormStore

// Which of the two sides of a relationship is set, where one is enough.
extension NSMigrationManager {
    /// Whether a to-many relationship need not be set, because each object that it leads to sets its own side.
    ///
    /// To set both is the same, but reads all members of the relationship for it.
    final func isSetByInverse(_ property: NSPropertyMapping, in mapping: NSEntityMapping) -> Bool {
        let key = "\(mapping.name ?? "")/\(property.name ?? "")"
        if let known = setByInverse[key] { return known }
        let result = inverseSets(property, in: mapping)
        setByInverse[key] = result
        return result
    }

    private func inverseSets(_ property: NSPropertyMapping, in mapping: NSEntityMapping) -> Bool {
        guard case .relationship(let formerName)? = property.valueExpression?.form,
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
                    guard side.name == inverse.name, case .relationship(let name)? = side.valueExpression?.form else {
                        return false
                    }
                    return name == formerInverse.name
                }
        }
        guard areSet, inverse.isToMany else { return areSet }
        // An object that came about by two mappings keeps the links of the one that is worked on last.
        guard others.count == 1 || others.allSatisfy({ $0.policyType == NSEntityMigrationPolicy.self }),
            callsNobody(mapping)
        else { return false }
        return isLed(relationship, by: inverse)
    }

    /// Whether all objects that came about by a mapping get their relationships as it says.
    private func setsRelationships(_ mapping: NSEntityMapping) -> Bool {
        if mapping.policyType == NSEntityMigrationPolicy.self { return true }
        // What a closure has noted besides may be of another entity, and is left alone.
        guard mapping.setsRelationshipsAsMapped,
            let entity = mapping.destinationEntityName.flatMap({ destinationContext.compiledModel?.entity(named: $0) })
        else { return false }
        return associations.hasOnly(entity: entity.number, mapping: mapping.name ?? "")
    }

    /// Whether nobody sees in which order the relationships of a mapping's objects are set.
    private func callsNobody(_ mapping: NSEntityMapping) -> Bool {
        mapping.policyType == NSEntityMigrationPolicy.self || mapping.setsRelationshipsAlone
    }

    /// Whether of two to-many relationships it is the other one that is set: that of the entity with more objects, so that
    /// each leads to few.
    private func isLed(_ relationship: NSRelationshipDescription, by inverse: NSRelationshipDescription) -> Bool {
        guard let model = destinationContext.compiledModel, let far = relationship.destinationEntity?.name,
            let near = inverse.destinationEntity?.name,
            let (own, ownPath) = side(relationship.name, of: near, in: model),
            let (other, otherPath) = side(inverse.name, of: far, in: model), ownPath != otherPath
        else { return false }
        return (own, ownPath) < (other, otherPath)
    }

    /// How many objects have a relationship, and its path, which both sides of a pair see alike.
    private func side(_ name: String, of entity: String, in model: CompiledModel) -> (count: Int, path: String)? {
        guard let plan = model.entity(named: entity), case .relationship(let slot)? = plan.slot(named: name) else {
            return nil
        }
        let owner = model[plan.relationships[slot].owner].name
        let path = "\(owner).\(name)"
        if let known = counts[owner] { return (known, path) }
        guard let count = try? destinationContext.count(for: NSFetchRequest<NSManagedObject>(entityName: owner)) else {
            return nil
        }
        counts[owner] = count
        return (count, path)
    }

    /// The steps in the order in which they set relationships: ordered ones to many come first, where nobody sees that.
    ///
    /// The other side finds its links set then. Otherwise each batch of it would have to find a position behind all members
    /// that there are.
    final func inOrderOfRelationships(_ steps: [Step]) -> [Step] {
        func isFirst(_ step: Step) -> Bool {
            guard callsNobody(step.mapping) else { return false }
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
