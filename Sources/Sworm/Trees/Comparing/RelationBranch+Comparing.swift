import SwormPredicates

// The comparison of the objects behind a relation with rows.
extension RelationBranch {
    func compare(_ owners: ComparedTrees<Tree>, by comparison: TreeComparison) throws {
        let owner = try comparison.bindings.binding(for: Tree.self)
        let binding = try comparison.bindings.binding(for: Source.Object.self)
        guard
            let relationship = comparison.bindings.description(of: Tree.Entity.entityName)?
                .relationshipsByName[relation]
        else { throw NeedsObjects() }
        guard let role = role(of: relationship), role != .readOnly else { return }
        let link = try TreeLink(relation, of: owner, in: comparison.session)
        if link.isOrdered, isSorted { throw NeedsObjects() }
        var lists: [ChildList<Source.Value>] = []
        for index in owners.trees.indices {
            guard let values = children(owners.trees[index]) else { continue }
            lists.append(ChildList(owner: index, row: owners.rows[index], values: values))
        }
        if lists.isEmpty { return }
        let members = try members(
            of: lists, links: owners.links[relation] ?? [], owner: owner, as: binding, by: comparison)
        let identity = try identity(in: binding, role: role, comparison.context)
        // A save through objects reports that nothing identifies the children.
        if case .new = identity, role.removes, !members.saved.isEmpty { throw NeedsObjects() }
        let comparer = try source.comparer(keys: identity.attributes, in: binding)
        let rule = try rule(identity, for: lists, in: binding, by: comparison)
        var matcher = RowMatcher(
            comparer, by: rule, keys: members.saved.map(\.key), compares: role.updates,
            addresses: members.rows?.addresses)
        let positions = members.positions
        for index in lists.indices {
            try lists[index].withValues { start, count in
                try matcher.match(start, count: count, with: positions[index], of: positions, isShared: !isToMany)
            }
        }
        // The id of a child that is not behind the relation may be that of another owner's child, or of a deleted object.
        if case .rows = rule, matcher.rows.contains(-1) { throw NeedsObjects() }
        let movesVersion = owners.movesVersion || Tree.treePlan.version != nil
        var level = ComparedLevel(
            lists: lists, members: members, matcher: matcher, source: source, binding: binding, role: role,
            movesVersion: movesVersion && (role == .owned || relationship.deleteRule == .cascadeDeleteRule),
            by: comparison)
        try level.findOthers(identity, comparer: comparer, canBeShared: !link.hasOneOwner)
        try level.updateChanged()
        let rules = LinkRules(
            link: link, owner: owner.entity.key, isInOrder: isInOrder && !isSorted,
            hasVersion: movesVersion)
        try level.link(by: rules)
        level.note(isDistinct: link.hasOneOwner && isToMany)
        if source.plan != nil, role.inserts {
            try source.compareBranches(
                of: level.written(links: source.links), besides: relationship.inverseRelationship?.name, comparison)
        }
    }

    /// Returns the stored rows behind the relation.
    private func members(
        of lists: [ChildList<Source.Value>], links: [Int64], owner: EntityBinding<Tree>,
        as binding: EntityBinding<Source.Object>, by comparison: TreeComparison
    ) throws -> StoredMembers<Source.Value> {
        let keys = lists.map { list in list.row.isNew ? 0 : isToMany ? list.row.key : links[list.owner] }
        let found = KeyList(keys)
        if found.keys.isEmpty { return StoredMembers() }
        // The members of an owner that is in the trees again cannot be assigned twice.
        if isToMany, found.keys.count < keys.count(where: { $0 > 0 }) { throw NeedsObjects() }
        guard let plan = try source.rows(with: binding) else { throw NeedsObjects() }
        let origin =
            isToMany
            ? TreeSource.members(of: owner.entity, relation: relation, owners: found.keys, anyOrder: source.plan == nil)
            : TreeSource.keys(found.keys)
        let rows = try comparison.session.rows(
            of: choice, in: binding, plan: plan, columns: [], links: source.links, source: origin)
        if isToMany {
            return StoredMembers(rows: rows, positions: .groups(rows.groups(of: found), of: found))
        }
        return StoredMembers(rows: rows, positions: .rows(found.places(of: rows.keys), of: found))
    }

    private func rule(
        _ identity: SaveIdentity, for lists: [ChildList<Source.Value>], in binding: EntityBinding<Source.Object>,
        by comparison: TreeComparison
    ) throws -> RowMatcher.Rule {
        if source.hasIDs {
            let references = lists.flatMap { $0.values.map { source.reference(of: $0) } }
            if references.contains(where: { $0 != nil }) {
                return .rows(try references.map { try comparison.key(of: $0, in: binding) })
            }
        }
        switch identity {
        case .constraint, .within: return .key
        case .position: return .position
        case .new: return .none
        }
    }
}

/// The children of one owner.
struct ChildList<Value> {
    /// The index of the owner.
    let owner: Int
    /// The row of the owner.
    let row: TreeRow
    let values: [Value]

    /// Calls a closure with the address of the first value.
    func withValues<R>(_ body: (UnsafePointer<Value>?, Int) throws -> R) rethrows -> R {
        try values.withUnsafeBufferPointer { try body($0.baseAddress, $0.count) }
    }
}
