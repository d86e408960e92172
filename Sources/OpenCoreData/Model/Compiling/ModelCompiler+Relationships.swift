import SwormStore

extension ModelCompiler {
    mutating func check(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription, path: String) {
        let entityName = entity.name ?? ""
        func refuse(_ message: String) { issues.add(message, entity: entityName, key: relationship.name) }

        if relationship.minCount < 0 {
            refuse("Relationship '\(path)' has the negative minimum count \(relationship.minCount).")
        } else if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
            refuse(
                "Relationship '\(path)' has the minimum count \(relationship.minCount), which is greater than its maximum count "
                    + "\(relationship.maxCount).")
        }
        if Int32(exactly: relationship.maxCount) == nil || Int32(exactly: relationship.minCount) == nil {
            refuse("The counts of relationship '\(path)' must fit in 32 bits.")
        }

        guard let destination = relationship.destinationEntity else {
            refuse("Relationship '\(path)' has no destination. Set its destinationEntity.")
            return
        }
        guard numbers[ObjectIdentifier(destination)] != nil || model.entities.contains(where: { $0 === destination })
        else {
            refuse(
                "The destination '\(destination.name ?? "")' of relationship '\(path)' is not in the model's entities. "
                    + "Add it.")
            return
        }
        guard let inverse = relationship.inverseRelationship else { return }
        checkInverse(inverse, of: relationship, in: entity, destination: destination, path: path)
    }

    private mutating func checkInverse(
        _ inverse: NSRelationshipDescription, of relationship: NSRelationshipDescription,
        in entity: NSEntityDescription,
        destination: NSEntityDescription, path: String
    ) {
        let entityName = entity.name ?? ""
        let destinationName = destination.name ?? ""
        func refuse(_ message: String) { issues.add(message, entity: entityName, key: relationship.name) }

        guard let home = inverse.declaringEntity else {
            refuse("The inverse '\(inverse.name)' of relationship '\(path)' does not belong to an entity.")
            return
        }
        let inversePath = "\(home.name ?? "").\(inverse.name)"
        // An object at the other end must have the inverse, which may be inherited.
        guard destination.isKindOf(entity: home) else {
            refuse(
                "The inverse '\(inversePath)' of relationship '\(path)' is not a relationship of its destination "
                    + "'\(destinationName)'.")
            return
        }
        guard inverse.inverseRelationship === relationship else {
            let back = inverse.inverseRelationship.map { "'\($0.declaringEntity?.name ?? "").\($0.name)'" } ?? "none"
            refuse(
                "The inverse '\(inversePath)' of relationship '\(path)' does not point back: its own inverse is \(back). "
                    + "Set both as the inverse of each other.")
            return
        }
        guard let back = inverse.destinationEntity, back.isKindOf(entity: entity) else {
            refuse(
                "The inverse '\(inversePath)' of relationship '\(path)' has the destination "
                    + "'\(inverse.destinationEntity?.name ?? "nothing")', not '\(entityName)'.")
            return
        }
    }
}
