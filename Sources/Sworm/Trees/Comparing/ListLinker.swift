import SwormPredicates

/// The rules for the links of a branch.
struct LinkRules {
    let link: TreeLink
    /// The entity of the trees.
    let owner: EntityKey
    /// Whether the order of the children is that of the relation.
    let isInOrder: Bool
    /// Whether the owner has a version.
    let hasVersion: Bool
}

/// The links of the children of one level to their owners.
struct ListLinker {
    /// The row of each list's owner.
    let owners: [TreeRow]
    /// The first child of each list, and the number of children.
    let starts: [Int]
    /// The row of each child.
    let rows: [TreeRow]
    /// The stored rows.
    let members: [TreeRow]
    let positions: MemberPositions
    let matcher: RowMatcher
    /// The entity of the children.
    let entity: EntityKey
    let role: BranchRole
    let comparison: TreeComparison
    let rules: LinkRules

    /// Links the children of a list to their owner, and removes members that are no longer in the tree.
    func link(_ index: Int) throws {
        let owner = owners[index]
        let children = starts[index]..<starts[index + 1]
        let hasChanged =
            rules.link.isToMany
            ? try linkMany(children, to: owner, members: positions[index])
            : try linkOne(children.first, to: owner, member: positions[index].first)
        guard hasChanged, !owner.isNew else { return }
        // The relations of a sub-entity may have other slots.
        if owner.entity != rules.owner { throw NeedsObjects() }
        // The number of objects behind the relation is checked by a save through objects.
        if rules.link.hasCountRules, rules.link.isToMany { throw NeedsObjects() }
        try comparison.touch(owner, hasVersion: rules.hasVersion)
    }

    private func linkMany(
        _ children: Range<Int>, to owner: TreeRow, members range: Range<Int>
    ) throws -> Bool {
        let link = rules.link
        var hasChanged = false
        if role.removes {
            for position in range where !matcher.isTaken[positions.row(at: position)] {
                try remove(members[positions.row(at: position)], from: owner, along: link)
                hasChanged = true
            }
        }
        let isShared = !link.hasOneOwner
        var added: Set<TreeRow> = []
        var hasAdded = false
        for child in children where matcher.rows[child] < 0 {
            let row = rows[child]
            hasAdded = true
            // A child that can have several owners may be in the list twice.
            if isShared, !added.insert(row).inserted { continue }
            switch link.inverse {
            case .one(let slot): comparison.changes.setDestination(owner, of: row, at: slot)
            case .many(_, isOrdered: true): throw NeedsObjects()
            case .none, .many:
                if link.inverseHasCountRules { throw NeedsObjects() }
                comparison.changes.setLink(true, from: owner, along: link, to: row)
            }
            if !row.isNew, !owner.isNew { comparison.result.linked += 1 }
        }
        if link.isOrdered {
            if owner.isNew {
                var seen: Set<TreeRow> = []
                comparison.changes.setOrder(
                    rows[children].filter { seen.insert($0).inserted }, of: owner, at: link.slot)
            } else if hasAdded || rules.isInOrder && role != .added && !areInOrder(children) {
                throw NeedsObjects()
            }
        }
        return hasChanged || hasAdded
    }

    /// Returns whether known children are in the order of their rows.
    private func areInOrder(_ children: Range<Int>) -> Bool {
        zip(matcher.rows[children], matcher.rows[children].dropFirst()).allSatisfy { $0 < $1 }
    }

    private func remove(
        _ member: TreeRow, from owner: TreeRow, along link: TreeLink
    ) throws {
        if role == .owned {
            comparison.changes.delete(member)
            comparison.result.deleted += 1
            return try comparison.leave(member)
        }
        if link.isOrdered || link.inverseHasCountRules || member.entity != entity { throw NeedsObjects() }
        switch link.inverse {
        case .one(let slot):
            comparison.changes.setDestination(nil, of: member, at: slot)
            try comparison.leave(member)
        case .many(_, isOrdered: true): throw NeedsObjects()
        case .none, .many: comparison.changes.setLink(false, from: owner, along: link, to: member)
        }
        comparison.result.unlinked += 1
    }

    private func linkOne(
        _ child: Int?, to owner: TreeRow, member position: Int?
    ) throws -> Bool {
        let link = rules.link
        let member = position.map { members[positions.row(at: $0)] }
        if let child, matcher.rows[child] >= 0 { return false }
        if child == nil, member == nil || !role.removes { return false }
        if link.inverseHasCountRules { throw NeedsObjects() }
        switch link.inverse {
        case .one(let slot):
            // The other side has a key too, which may have to leave another owner.
            guard let child, owner.isNew, rows[child].isNew else { throw NeedsObjects() }
            comparison.changes.setDestination(owner, of: rows[child], at: slot)
        case .many(_, isOrdered: true): throw NeedsObjects()
        case .none, .many: break
        }
        if let child {
            comparison.changes.setDestination(rows[child], of: owner, at: link.slot)
            if !rows[child].isNew, !owner.isNew { comparison.result.linked += 1 }
        } else {
            if link.hasCountRules { throw NeedsObjects() }
            // The delete rules remove the link to a deleted object.
            if role != .owned { comparison.changes.setDestination(nil, of: owner, at: link.slot) }
        }
        if let member, role.removes {
            if role == .owned {
                comparison.changes.delete(member)
                comparison.result.deleted += 1
                try comparison.leave(member)
            } else {
                comparison.result.unlinked += 1
            }
        }
        return true
    }
}
