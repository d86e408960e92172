/// Returns the mappings of the given types and of all types that their relations reach, each type once, with their
/// super-entities and sub-entities.
///
/// The given types come first, followed by the types that are found through them, in that order.
func reachableEntities(
    from roots: [any ManagedObjectConvertible.Type]
) -> [(type: any ManagedObjectConvertible.Type, mapping: any AnyEntityMapping)] {
    var found: [(type: any ManagedObjectConvertible.Type, mapping: any AnyEntityMapping)] = []
    var seen: Set<ObjectIdentifier> = []
    var queue = roots[...]
    while let type = queue.popFirst() {
        guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
        let mapping = type.anyMapping
        found.append((type, mapping))
        if let superentity = type.superentityType { queue.append(superentity) }
        queue.append(contentsOf: mapping.subentities)
        queue.append(contentsOf: mapping.relations.map(\.destination))
    }
    return found
}

/// Returns the issues in the tables of the given types and of all types that their relations reach: those of each
/// table, and those of the inverses between tables.
func tableIssues(from roots: [any ManagedObjectConvertible.Type]) -> [TableIssue] {
    let mappings = reachableEntities(from: roots).map(\.mapping)
    return mappings.flatMap(\.issues) + mappings.flatMap(subentityIssues) + mappings.flatMap(inverseIssues)
}

private func inverseIssues(_ mapping: any AnyEntityMapping) -> [TableIssue] {
    var issues: [TableIssue] = []
    var claimed: [String: String] = [:]
    for relation in mapping.ownRelations {
        guard let inverse = relation.inverse else { continue }
        func issue(_ kind: TableIssue.Kind, _ message: String) {
            issues.append(TableIssue(kind, entity: mapping.entityName, member: relation.name, message: message))
        }
        let destination = relation.destination.anyMapping
        let end = "\(destination.entityName).\(inverse.name)"
        if let shared = destination.inherited(relationNamed: inverse.name) {
            let owner = shared.owner.entityName
            issue(
                .foreignInverse,
                "its inverse \(end) belongs to the super-entity \(owner); make \(owner) the destination")
            continue
        }
        if let other = claimed.updateValue(relation.name, forKey: end) {
            issue(.sharedInverse, "\(end) is also named as the inverse of \(other)")
        }
        if inverse.destination.entityName != mapping.entityName {
            issue(
                .foreignInverse,
                "the destination of its inverse \(end) is \(inverse.destination.entityName), not \(mapping.entityName)")
        } else if let back = destination.relations.first(where: { $0.name == inverse.name })?.inverse,
            back.name != relation.name
        {
            issue(.oneSidedInverse, "its inverse \(end) names \(mapping.entityName).\(back.name) as its own inverse")
        }
    }
    return issues
}
