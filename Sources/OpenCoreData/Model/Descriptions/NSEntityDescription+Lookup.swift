extension NSEntityDescription {
    /// The entity and its ancestors, the root first. A cycle ends before it repeats.
    var lineage: [NSEntityDescription] {
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

    /// The entities that directly inherit from this one, by name.
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

    /// Returns the entity's relationships, inherited ones included, that refer to a given entity.
    ///
    /// - Parameter entity: The destination.
    /// - Returns: The relationships whose destination is exactly that entity.
    public func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter { $0.destinationEntity === entity }
    }

    /// Returns whether the entity is the given entity or inherits from it.
    ///
    /// - Parameter entity: The other entity, of the same model.
    public func isKindOf(entity: NSEntityDescription) -> Bool { lineage.contains { $0 === entity } }

    /// The uniqueness constraints as names of properties; a member that is neither a name nor a property is an empty
    /// name.
    package var uniquenessNames: [[String]] { uniquenessConstraints.map(Self.names) }

    /// The compound indexes as names of properties; a member that is neither a name nor a property is an empty name.
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
