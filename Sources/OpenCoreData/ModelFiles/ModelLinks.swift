/// The names in a model file that describe the destination and inverse of a relationship.
struct RelationshipLink {
    let relationship: NSRelationshipDescription
    /// The path of the relationship, `Entity.relationship`, for messages.
    let path: String
    let destination: String?
    let inverse: String?
    /// The entity that declares the inverse; nil if it is the destination.
    var inverseEntity: String?
}

/// A namespace for linking the parts of a model after all of them were read.
enum ModelLinks {
    /// Returns the reason why entities cannot be linked to their parents: an entity is its own ancestor, or a chain of
    /// ancestors is too long.
    ///
    /// Call it before the entities are linked: entities in a cycle would retain each other forever, and a long chain
    /// would be released recursively.
    ///
    /// - Returns: The index of the first such entity in `entities`, and what is wrong.
    static func faultOfInheritance(
        _ entities: [NSEntityDescription], parents: [ObjectIdentifier: NSEntityDescription]
    ) -> (place: Int, message: String)? {
        var depths: [ObjectIdentifier: Int] = [:]
        for (place, entity) in entities.enumerated() {
            var line: [ObjectIdentifier] = []
            var seen: Set<ObjectIdentifier> = []
            var current: NSEntityDescription? = entity
            while let here = current, depths[ObjectIdentifier(here)] == nil {
                guard seen.insert(ObjectIdentifier(here)).inserted else {
                    return (place, "Entity '\(entity.name ?? "")' is its own ancestor.")
                }
                line.append(ObjectIdentifier(here))
                current = parents[ObjectIdentifier(here)]
            }
            var depth = current.flatMap { depths[ObjectIdentifier($0)] } ?? 0
            for here in line.reversed() {
                depth += 1
                depths[here] = depth
            }
            if depth > ModelLimits.inheritanceDepth {
                return (
                    place,
                    "Entity '\(entity.name ?? "")' is more than \(ModelLimits.inheritanceDepth) levels deep in the "
                        + "inheritance hierarchy. Flatten the hierarchy."
                )
            }
        }
        return nil
    }

    /// Adds entities to the sub-entities of their parents, in the given order.
    static func inherit(_ entities: [NSEntityDescription], parents: [ObjectIdentifier: NSEntityDescription]) {
        var children: [ObjectIdentifier: [NSEntityDescription]] = [:]
        for entity in entities {
            if let parent = parents[ObjectIdentifier(entity)] {
                children[ObjectIdentifier(parent), default: []].append(entity)
            }
        }
        for entity in entities {
            if let subentities = children[ObjectIdentifier(entity)] { entity.subentities = subentities }
        }
    }

    /// Sets the destinations and inverses of relationships.
    ///
    /// - Parameter report: Called with the index of a link, and what is wrong with it.
    static func connect(
        _ links: [RelationshipLink], in entities: [String: NSEntityDescription], report: (Int, String) -> Void
    ) {
        var byName: [ObjectIdentifier: [String: NSRelationshipDescription]] = [:]
        for (place, link) in links.enumerated() {
            if let entity = link.relationship.declaringEntity {
                byName[ObjectIdentifier(entity), default: [:]][link.relationship.name] = link.relationship
            }
            guard let name = link.destination, !name.isEmpty else { continue }
            guard let destination = entities[name] else {
                report(place, "The destination '\(name)' of relationship '\(link.path)' is not an entity of the model.")
                continue
            }
            link.relationship.destinationEntity = destination
        }
        for (place, link) in links.enumerated() {
            guard let name = link.inverse, !name.isEmpty, let home = link.inverseEntity ?? link.destination else {
                continue
            }
            let lineage = entities[home]?.lineage ?? []
            guard let inverse = lineage.reversed().lazy.compactMap({ byName[ObjectIdentifier($0)]?[name] }).first else {
                report(place, "The inverse '\(home).\(name)' of relationship '\(link.path)' does not exist.")
                continue
            }
            link.relationship.inverseRelationship = inverse
        }
    }
}
