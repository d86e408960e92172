/// Returns the plans of the given types and of all types that their relations reach, each type once.
///
/// The given types come first, followed by the types that are found through relations, in that order.
package func reachableEntities(
    from roots: [any ManagedObjectConvertible.Type]
) -> [(type: any ManagedObjectConvertible.Type, plan: any AnyEntityPlan)] {
    var found: [(type: any ManagedObjectConvertible.Type, plan: any AnyEntityPlan)] = []
    var seen: Set<ObjectIdentifier> = []
    var queue = roots[...]
    while let type = queue.popFirst() {
        guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
        let plan = type.anyPlan
        found.append((type, plan))
        queue.append(contentsOf: plan.relations.map(\.destination))
    }
    return found
}

/// Returns the issues in the tables of the given types and of all types that their relations reach: those of each
/// table, and those of the inverses between tables.
package func tableFaults(from roots: [any ManagedObjectConvertible.Type]) -> [TableFault] {
    let plans = reachableEntities(from: roots).map(\.plan)
    return plans.flatMap(\.faults) + plans.flatMap(inverseFaults)
}

private func inverseFaults(_ plan: any AnyEntityPlan) -> [TableFault] {
    var faults: [TableFault] = []
    var claimed: [String: String] = [:]
    for relation in plan.relations {
        guard let inverse = relation.inverse else { continue }
        func fault(_ kind: TableFault.Kind, _ message: String) {
            faults.append(TableFault(kind, entity: plan.entityName, member: relation.name, message))
        }
        let destination = relation.destination.anyPlan
        let end = "\(destination.entityName).\(inverse.name)"
        if let other = claimed.updateValue(relation.name, forKey: end) {
            fault(.sharedInverse, "\(end) is also named as the inverse of \(other)")
        }
        if inverse.destination.entityName != plan.entityName {
            fault(
                .foreignInverse,
                "its inverse \(end) leads to \(inverse.destination.entityName) and not back to \(plan.entityName)")
        } else if let back = destination.relations.first(where: { $0.name == inverse.name })?.inverse,
            back.name != relation.name
        {
            fault(.oneSidedInverse, "its inverse \(end) names \(plan.entityName).\(back.name) as its own inverse")
        }
    }
    return faults
}
