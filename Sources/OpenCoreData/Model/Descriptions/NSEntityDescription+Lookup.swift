extension NSEntityDescription {
    /// The entity and its ancestors, the root first. A cycle is cut where it closes.
    package var lineage: [NSEntityDescription] {
        var lineage = [self]
        guard var next = superentity else { return lineage }
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        while seen.insert(ObjectIdentifier(next)).inserted {
            lineage.append(next)
            guard let above = next.superentity else { break }
            next = above
        }
        lineage.reverse()
        return lineage
    }

    /// The entities that inherit from this one directly, by name.
    public var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entity's properties, inherited ones included, by name.
    public var propertiesByName: [String: NSPropertyDescription] { named(properties) }

    /// The entity's attributes, inherited ones included, by name.
    public var attributesByName: [String: NSAttributeDescription] {
        named(properties.compactMap { $0 as? NSAttributeDescription })
    }

    /// The entity's relationships, inherited ones included, by name.
    public var relationshipsByName: [String: NSRelationshipDescription] {
        named(properties.compactMap { $0 as? NSRelationshipDescription })
    }

    private func named<P: NSPropertyDescription>(_ properties: [P]) -> [String: P] {
        Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The entity's relationships, inherited ones included, that lead to a given entity.
    ///
    /// - Parameter entity: The destination.
    /// - Returns: The relationships whose destination is that very entity.
    public func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter { $0.destinationEntity === entity }
    }

    /// Whether the entity is another one or inherits from it.
    ///
    /// - Parameter entity: The other entity, of the same model.
    public func isKindOf(entity: NSEntityDescription) -> Bool { lineage.contains { $0 === entity } }

    /// The uniqueness constraints with every property as its name; a member that is neither counts as an empty name.
    package var uniquenessNames: [[String]] { uniquenessConstraints.map(Self.names) }

    /// The compound indexes with every property as its name; a member that is neither counts as an empty name.
    package var compoundIndexNames: [[String]] { compoundIndexes.map(Self.names) }

    private static func names(of members: [Any]) -> [String] {
        members.map { member in
            switch member {
            case let property as NSPropertyDescription: property.name
            case let name as String: name
            default: ""
            }
        }
    }
}
