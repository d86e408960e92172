import SwormPredicates

/// The rules for the links of a branch.
struct LinkRules {
    let link: TreeLink
    let role: BranchRole
    /// Whether the order of the children is that of the relation.
    let isInOrder: Bool
    /// Whether the owner has a version.
    let hasVersion: Bool
}

/// The children of one branch, with the rows that they belong to.
struct ComparedLevel<Source: ChildSource> {
    private let lists: [ChildList<Source.Value>]
    /// The row of each list's owner.
    private let owners: [TreeRow]
    /// The first child of each list, and the number of children.
    private let starts: [Int]
    private let members: StoredMembers<Source.Value>
    private let matcher: RowMatcher
    private let source: Source
    private let binding: EntityBinding<Source.Object>
    private let role: BranchRole
    private let comparison: TreeComparison
    /// The rows that are not members of their owners.
    private var others: FoundRows<Source.Value>?
    /// The row of each child.
    private var rows: [TreeRow] = []
    /// The index of each child among the other rows; -1 for one that is not among them.
    private var places: [Int32] = []

    init(
        lists: [ChildList<Source.Value>], members: StoredMembers<Source.Value>, matcher: RowMatcher, source: Source,
        binding: EntityBinding<Source.Object>, role: BranchRole, by comparison: TreeComparison
    ) {
        (self.lists, self.members, self.matcher) = (lists, members, matcher)
        (self.source, self.binding, self.role) = (source, binding, role)
        self.comparison = comparison
        owners = lists.map(\.row)
        var starts = [0]
        for list in lists { starts.append(starts[starts.count - 1] + list.values.count) }
        self.starts = starts
    }

    // MARK: Rows

    /// Finds the rows of children that are not members of their owners, or inserts them.
    ///
    /// - Parameter canBeShared: Whether a child may have several owners.
    mutating func findOthers(
        _ identity: SaveIdentity, comparer: RowComparer, canBeShared: Bool
    ) throws {
        guard matcher.rows.contains(-1) else {
            let saved = members.saved
            rows = matcher.rows.map { saved[Int($0)] }
            return
        }
        var constraint: ModelConstraint?
        if case .constraint(_, let found) = identity { constraint = found }
        var keys: [SaveKey?] = []
        if constraint != nil {
            try forEach { child, place in
                keys.append(matcher.rows[child] < 0 ? try comparer.key(place) : nil)
            }
            if let constraint {
                others = try comparison.find(
                    Array(Set(keys.compactMap { $0 })), of: constraint, as: source, in: binding, comparer: comparer)
            }
            places = keys.map { Int32($0.flatMap { others?.indices[$0] } ?? -1) }
            // The owner of such a child is another one, which a save through objects has to know.
            if !canBeShared, places.contains(where: { $0 >= 0 }) { throw NeedsObjects() }
        }
        let list = comparison.nextList()
        var new: [SaveKey: (row: TreeRow, place: UnsafePointer<Source.Value>)] = [:]
        var result: [TreeRow] = []
        try forEachList { values in
            var unknown: [UnsafePointer<Source.Value>] = []
            for child in values.children {
                guard let place = values.start.map({ $0 + (child - values.children.lowerBound) }) else { return }
                if matcher.rows[child] >= 0 {
                    result.append(members.saved[Int(matcher.rows[child])])
                    continue
                }
                if !places.isEmpty, places[child] >= 0, let others {
                    result.append(others.saved[Int(places[child])])
                    continue
                }
                guard role.inserts else { throw NeedsObjects() }
                let key = keys.isEmpty ? nil : keys[child]
                if let key, let known = new[key] {
                    guard canBeShared, source.plan == nil, try comparer.isSame(place, as: known.place) else {
                        throw NeedsObjects()
                    }
                    result.append(known.row)
                    continue
                }
                if case .within = identity {
                    // Two new children with the same key are one object.
                    for other in unknown where try comparer.isSameKey(place, as: other) { throw NeedsObjects() }
                    unknown.append(place)
                }
                let row = try comparison.changes.insert(source.written(place, as: binding), as: binding)
                if let key, let constraint {
                    try comparison.note(newKey: key, of: constraint, in: list)
                    new[key] = (row, place)
                }
                result.append(row)
            }
        }
        rows = result
    }

    /// Updates the rows whose values differ.
    func updateChanged() throws {
        guard role.updates else { return }
        var changed = matcher.changed[...]
        if changed.isEmpty, others == nil { return }
        var updated: Set<TreeRow> = []
        try forEach { child, place in
            let stored: UnsafeRawPointer?
            if changed.first == child {
                changed.removeFirst()
                stored = members.rows?.address(Int(matcher.rows[child]))
            } else {
                stored = places.isEmpty || places[child] < 0 ? nil : others?.rows.address(Int(places[child]))
            }
            guard let stored else { return }
            // An object that is in the trees again may have other values there.
            if rows[child].isNew || updated.contains(rows[child]) { return }
            updated.insert(rows[child])
            try comparison.update(rows[child], to: place, from: stored, of: source, in: binding)
        }
    }

    private func forEach(_ body: (Int, UnsafePointer<Source.Value>) throws -> Void) throws {
        try forEachList { list in
            for child in list.children {
                if let start = list.start { try body(child, start + (child - list.children.lowerBound)) }
            }
        }
    }

    private func forEachList(
        _ body: ((start: UnsafePointer<Source.Value>?, children: Range<Int>)) throws -> Void
    ) throws {
        for (index, list) in lists.enumerated() {
            try list.withValues { start, _ in try body((start, starts[index]..<starts[index + 1])) }
        }
    }

    // MARK: Results

    /// Notes the known rows.
    func note(isDistinct: Bool) {
        comparison.note(
            rows.filter { !$0.isNew }, of: binding.entity.key, isWritten: role.updates,
            isDistinct: isDistinct && others == nil)
    }

    /// Returns the children whose own branches are written.
    func written(links names: [String]) -> ComparedTrees<Source.Value> {
        let memberLinks = LevelLinks(of: members.rows, names)
        let otherLinks = LevelLinks(of: others?.rows, names)
        var trees = ComparedTrees<Source.Value>(links: names)
        var child = 0
        for list in lists {
            for value in list.values {
                defer { child += 1 }
                guard role.updates || rows[child].isNew else { continue }
                let links: [Int64] =
                    if matcher.rows[child] >= 0 {
                        memberLinks[Int(matcher.rows[child])]
                    } else if !places.isEmpty, places[child] >= 0 {
                        otherLinks[Int(places[child])]
                    } else {
                        []
                    }
                trees.add(value, at: rows[child], links: links)
            }
        }
        return trees
    }

    // MARK: Links

    /// Links the children of a list to their owner, and removes members that are no longer in the tree.
    func link(_ index: Int, by rules: LinkRules) throws {
        let owner = owners[index]
        let children = starts[index]..<starts[index + 1]
        let hasChanged =
            rules.link.isToMany
            ? try linkMany(children, to: owner, members: members.positions(of: index), by: rules)
            : try linkOne(children.first, to: owner, member: members.positions(of: index).first, by: rules)
        guard hasChanged, !owner.isNew else { return }
        // The number of objects behind the relation is checked by a save through objects.
        if rules.link.hasCountRules, rules.link.isToMany { throw NeedsObjects() }
        try comparison.touch(owner, hasVersion: rules.hasVersion)
    }

    private func linkMany(
        _ children: Range<Int>, to owner: TreeRow, members positions: Range<Int>, by rules: LinkRules
    ) throws -> Bool {
        let link = rules.link
        var hasChanged = false
        if role.removes {
            for position in positions where !matcher.isTaken[members.row(at: position)] {
                try remove(members.saved[members.row(at: position)], from: owner, along: link)
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
        if link.isOrdered || link.inverseHasCountRules { throw NeedsObjects() }
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
        _ child: Int?, to owner: TreeRow, member position: Int?, by rules: LinkRules
    ) throws -> Bool {
        let link = rules.link
        let member = position.map { members.saved[members.row(at: $0)] }
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
