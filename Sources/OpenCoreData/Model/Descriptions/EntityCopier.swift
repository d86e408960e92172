/// A copier of entities that preserves the references between them.
struct EntityCopier {
    /// The copies of the given entities, in their order.
    private(set) var roots: [NSEntityDescription] = []

    /// Copies entities.
    ///
    /// - Parameters:
    ///   - entities: The entities; duplicates are copied once.
    ///   - byName: False to copy the descendants too. True for parts of a merged model: only the given entities are
    ///     copied, and a relationship whose destination was not copied refers to the copy with the destination's name.
    init(copying entities: [NSEntityDescription], linkingByName byName: Bool = false) {
        var originals: [NSEntityDescription] = []
        var copies: [ObjectIdentifier: NSEntityDescription] = [:]
        var pending = entities
        while let entity = pending.popLast() {
            guard copies[ObjectIdentifier(entity)] == nil else { continue }
            copies[ObjectIdentifier(entity)] = NSEntityDescription()
            originals.append(entity)
            if !byName { pending.append(contentsOf: entity.subentities) }
        }

        var copiedProperties: [ObjectIdentifier: NSPropertyDescription] = [:]
        var named: [String: NSEntityDescription] = [:]
        for entity in originals {
            guard let copy = copies[ObjectIdentifier(entity)] else { continue }
            entity.copyOwnValues(to: copy)
            copy.properties = entity.ownProperties.map { property in
                let copied = property.duplicate()
                copiedProperties[ObjectIdentifier(property)] = copied
                return copied
            }
            copy.subentities = entity.subentities.compactMap { copies[ObjectIdentifier($0)] }
            if let name = entity.name { named[name] = copy }
        }

        for case let relationship as NSRelationshipDescription in copiedProperties.values {
            guard let destination = relationship.destinationEntity else { continue }
            let inverse = relationship.inverseRelationship
            if let copy = copies[ObjectIdentifier(destination)] {
                relationship.destinationEntity = copy
            } else if byName, let name = destination.name, let copy = named[name] {
                relationship.destinationEntity = copy
                if let inverse, inverse !== relationship {
                    relationship.inverseRelationship = copy.relationshipsByName[inverse.name]
                    continue
                }
            }
            if let inverse, let copy = copiedProperties[ObjectIdentifier(inverse)] as? NSRelationshipDescription {
                relationship.inverseRelationship = copy
            }
        }
        roots = entities.compactMap { copies[ObjectIdentifier($0)] }
    }
}
