/// What a model file says of a relationship's other end, by names.
struct RelationshipLink {
    let relationship: NSRelationshipDescription
    /// `Entity.relationship`, for messages.
    let path: String
    let destination: String?
    let inverse: String?
    /// The entity that has the inverse; nil where it is the destination.
    var inverseEntity: String?
}

/// Puts the parts of a model together when all of them were read.
enum ModelLinks {
    /// Why entities cannot inherit as they are said to: one is its own ancestor, or a line of them is too long.
    ///
    /// It is asked before they are linked: the first would hold each other for ever, and the second would be released one
    /// inside the other.
    ///
    /// - Returns: The first such entity's place among `entities`, and what is wrong.
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
                    "Entity '\(entity.name ?? "")' stands more than \(ModelLimits.inheritanceDepth) entities deep in the "
                        + "inheritance. Flatten the hierarchy."
                )
            }
        }
        return nil
    }

    /// Makes sub-entities of entities, in the order in which they are given.
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

    /// Leads relationships to their destinations and inverses.
    ///
    /// - Parameter report: Called with the place of a link, and what is wrong with it.
    static func connect(
        _ links: [RelationshipLink], _ entities: [String: NSEntityDescription], report: (Int, String) -> Void
    ) {
        var byName: [ObjectIdentifier: [String: NSRelationshipDescription]] = [:]
        for (place, link) in links.enumerated() {
            if let entity = link.relationship.declaringEntity {
                byName[ObjectIdentifier(entity), default: [:]][link.relationship.name] = link.relationship
            }
            guard let name = link.destination, !name.isEmpty else { continue }
            guard let destination = entities[name] else {
                report(place, "Relationship '\(link.path)' leads to '\(name)', which is no entity of the model.")
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
