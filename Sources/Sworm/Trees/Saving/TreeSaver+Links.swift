import SwormPredicates

// The objects behind relations.
extension TreeSaver {
    /// Adds the objects behind a relation of an object.
    func link(
        _ plan: @autoclosure () -> LinkPlan, to owner: SaveNode, along relation: String, children: [SaveNode],
        at place: SavePlace
    ) throws {
        let key = LinkKey(owner: ObjectIdentifier(owner), relation: relation)
        guard let known = linksByOwner[key] else {
            let plan = plan()
            linksByOwner[key] = plan
            links.append(plan)
            owner.hasLinks = true
            for child in plan.children { child.uses += 1 }
            return
        }
        let before = known.children
        try known.add(children, at: place, repeats: policy)
        for child in known.children { child.uses += 1 }
        for child in before { release(child) }
    }

    /// Removes an object that is in the trees less often than before. If it is no longer in them, those behind its relations are
    /// removed too.
    private func release(_ node: SaveNode) {
        node.uses -= 1
        if node.uses == 0 { forgetLinks(of: node) }
    }

    /// Removes the objects behind the relations of an object, because another appearance of it has them.
    func forgetLinks(of node: SaveNode) {
        guard node.hasLinks else { return }
        node.hasLinks = false
        let own = links.filter { $0.owner === node }
        links.removeAll { $0.owner === node }
        for plan in own {
            linksByOwner[LinkKey(owner: ObjectIdentifier(node), relation: plan.relation.name)] = nil
            for child in plan.children { release(child) }
        }
    }

    /// Throws an error if a child that can have one owner only has two of them in the trees. With the last values, the last one
    /// is its owner.
    func checkRepeatedChildren() throws {
        var known: [LinkKey: LinkPlan] = [:]
        for plan in links where plan.hasOneOwner {
            for child in plan.children {
                let key = plan.key(of: child)
                guard let other = known.updateValue(plan, forKey: key), other !== plan else { continue }
                guard policy.takesLast else {
                    let path = plan.path(of: child)
                    throw StoreError(
                        .validation,
                        "\(path) and \(other.path(of: child)) are the same \(child.entityName), which has one owner only. Keep one of them, or save with `repeats: .last`.",
                        entity: child.entityName, path: path)
                }
                other.remove(child)
            }
        }
    }

    /// The children that the trees link to another owner than before.
    var placedChildren: Set<LinkKey> {
        var placed: Set<LinkKey> = []
        for plan in links {
            for case let object? in plan.added.map(\.object) { placed.insert(plan.key(of: object)) }
        }
        return placed
    }
}
