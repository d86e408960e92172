import SwormStore

extension ModelCompiler {
    mutating func checkConstraintsAndIndexes(of entity: NSEntityDescription) {
        let name = entity.name ?? ""
        if !entity.uniquenessConstraints.isEmpty || !entity.compoundIndexes.isEmpty || !entity.indexes.isEmpty {
            let properties = entity.propertiesByName
            for constraint in entity.uniquenessNames { check(constraint: constraint, properties, of: name) }
            for members in entity.compoundIndexNames { check(compoundIndex: members, properties, of: name) }
            var names: Set<String> = []
            for index in entity.indexes {
                if index.name.isEmpty {
                    issues.add("Entity '\(name)' has an index without a name.", entity: name)
                } else if index.name.contains("\0") || index.name.contains("\"") {
                    issues.add(
                        "The index name '\(index.name)' of entity '\(name)' has an invalid character.",
                        entity: name)
                } else if !names.insert(index.name).inserted {
                    issues.add(
                        "Entity '\(name)' has two indexes named '\(index.name)'. Rename one of them.", entity: name)
                }
                check(index, properties: properties, of: name)
            }
        }
    }

    private mutating func check(
        constraint: [String], _ properties: [String: NSPropertyDescription], of entity: String
    ) {
        if constraint.isEmpty {
            issues.add("Entity '\(entity)' has an empty uniqueness constraint.", entity: entity)
        }
        var seen: Set<String> = []
        for key in constraint {
            let what = "The uniqueness constraint (\(constraint.joined(separator: ", "))) of entity '\(entity)'"
            if !seen.insert(key).inserted {
                issues.add("\(what) names '\(key)' twice.", entity: entity, key: key)
                continue
            }
            switch Self.property(at: key, in: properties) {
            case nil:
                issues.add("\(what) names '\(key)', which is not a property of the entity.", entity: entity, key: key)
            case let property? where property.isTransient:
                issues.add("\(what) names the transient property '\(key)'.", entity: entity, key: key)
            case let relationship as NSRelationshipDescription where relationship.isToMany:
                issues.add("\(what) names the to-many relationship '\(key)'.", entity: entity, key: key)
            case is NSFetchedPropertyDescription:
                issues.add("\(what) names the fetched property '\(key)'.", entity: entity, key: key)
            case is NSDerivedAttributeDescription:
                issues.add("\(what) names the derived attribute '\(key)'.", entity: entity, key: key)
            case is NSCompositeAttributeDescription:
                issues.add(
                    "\(what) names the composite attribute '\(key)'. Name its elements as '\(key).element'.",
                    entity: entity, key: key)
            default: break
            }
        }
    }

    private mutating func check(
        compoundIndex members: [String], _ properties: [String: NSPropertyDescription], of entity: String
    ) {
        for key in members where Self.property(at: key, in: properties) == nil {
            issues.add(
                "The compound index (\(members.joined(separator: ", "))) of entity '\(entity)' names '\(key)', which is not a "
                    + "property of the entity.", entity: entity, key: key)
        }
    }

    private mutating func check(
        _ index: NSFetchIndexDescription, properties: [String: NSPropertyDescription], of entity: String
    ) {
        let what = "The index '\(index.name)' of entity '\(entity)'"
        if index.elements.isEmpty { issues.add("\(what) has no elements.", entity: entity) }
        for element in index.elements {
            guard case .property(let key) = element.target else { continue }
            switch Self.property(at: key, in: properties) {
            case nil:
                issues.add("\(what) names '\(key)', which is not a property of the entity.", entity: entity, key: key)
            case let property? where property.isTransient && element.collationType != .rTree:
                issues.add("\(what) names the transient property '\(key)'.", entity: entity, key: key)
            case is NSFetchedPropertyDescription:
                issues.add("\(what) names the fetched property '\(key)'.", entity: entity, key: key)
            case is NSCompositeAttributeDescription:
                issues.add(
                    "\(what) names the composite attribute '\(key)'. Name its elements as '\(key).element'.",
                    entity: entity, key: key)
            default: break
            }
        }
    }

    /// Returns the property with a name; the name of an element of a composite is `composite.element`.
    static func property(at key: String, in properties: [String: NSPropertyDescription]) -> NSPropertyDescription? {
        if let property = properties[key] { return property }
        var steps = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
        guard let first = steps.popFirst(), steps.count <= ModelLimits.compositeDepth,
            var found = properties[first]
        else { return nil }
        for step in steps {
            guard let composite = found as? NSCompositeAttributeDescription,
                let element = composite.elements.first(where: { $0.name == step })
            else { return nil }
            found = element
        }
        return found
    }
}
