extension ContractComparison {
    /// Compares the cases of an enum of structs with the sub-entities of the model.
    mutating func compareHierarchy(of mapping: any AnyEntityMapping, with entity: NSEntityDescription) {
        var messages: [String] = []
        if let above = mapping.superentity, !mapping.isOwnCase, !entity.inherits(fromEntityNamed: above.entityName) {
            messages.append(
                "the type is a case of \(above.typeName), but the model's entity is no sub-entity of \(above.entityName)"
            )
        }
        if mapping.isSuperentity { messages += Self.differences(of: mapping, from: entity) }
        for message in messages { note(.subentity, entity: mapping.entityName, message: message) }
    }

    private static func differences(of mapping: any AnyEntityMapping, from entity: NSEntityDescription) -> [String] {
        var messages: [String] = []
        let names = mapping.subentities.map { $0.entityName }
        let hasOwnCase = names.contains(mapping.entityName)
        if !entity.isAbstract, !hasOwnCase {
            messages.append(
                "the model's entity is not abstract, so it may have objects of its own; add a case that holds a struct whose "
                    + "`entityName` is \"\(mapping.entityName)\"")
        }
        if entity.isAbstract, hasOwnCase {
            messages.append("the model's entity is abstract, so there are no objects for the case of the entity itself")
        }
        for member in entity.family.dropFirst() where !member.isAbstract {
            let isCovered = names.contains { $0 != mapping.entityName && member.inherits(fromEntityNamed: $0) }
            if !isCovered {
                messages.append("the model has the sub-entity \(member.name ?? ""), for which there is no case")
            }
        }
        return messages
    }
}

extension NSEntityDescription {
    fileprivate func inherits(fromEntityNamed name: String) -> Bool {
        var next: NSEntityDescription? = self
        while let entity = next {
            if entity.name == name { return true }
            next = entity.superentity
        }
        return false
    }
}
