import SwormPredicates

/// The children of one branch, with the rows that they belong to.
struct ComparedLevel<Source: ChildSource> {
    private let lists: [ChildList<Source.Value>]
    /// The row of each list's owner.
    let owners: [TreeRow]
    /// The first child of each list, and the number of children.
    let starts: [Int]
    let members: StoredMembers<Source.Value>
    let matcher: RowMatcher
    private let source: Source
    let binding: EntityBinding<Source.Object>
    let role: BranchRole
    let comparison: TreeComparison
    /// Whether a change of a child moves on the version of an owner.
    private let movesVersion: Bool
    /// The rows that are not members of their owners.
    private var others: FoundRows<Source.Value>?
    /// The row of each child.
    private(set) var rows: [TreeRow] = []
    /// The index of each child among the other rows; -1 for one that is not among them.
    private var places: [Int32] = []

    init(
        lists: [ChildList<Source.Value>], members: StoredMembers<Source.Value>, matcher: RowMatcher, source: Source,
        binding: EntityBinding<Source.Object>, role: BranchRole, movesVersion: Bool, by comparison: TreeComparison
    ) {
        (self.lists, self.members, self.matcher) = (lists, members, matcher)
        (self.source, self.binding, self.role) = (source, binding, role)
        (self.comparison, self.movesVersion) = (comparison, movesVersion)
        owners = lists.map(\.row)
        var starts = [0]
        starts.reserveCapacity(lists.count + 1)
        for index in lists.indices { starts.append(starts[index] + lists[index].values.count) }
        self.starts = starts
    }

    // MARK: Rows

    /// The row of a new child, and the position of its value.
    private struct NewChild {
        let row: TreeRow
        let list: Int
        let position: Int
    }

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
        let keys = try constraint.map { try search(for: $0, comparer: comparer, canBeShared: canBeShared) } ?? []
        let list = comparison.nextList()
        var new: [SaveKey: NewChild] = [:]
        for index in lists.indices {
            if case .within = identity { try checkNewKeys(of: index, comparer: comparer) }
            try lists[index].withValues { start, _ in
                for child in starts[index]..<starts[index + 1] {
                    if let known = knownRow(of: child) {
                        rows.append(known)
                        continue
                    }
                    guard role.inserts, let place = start.map({ $0 + (child - starts[index]) }) else {
                        throw NeedsObjects()
                    }
                    let key = keys.isEmpty ? nil : keys[child]
                    if let key, let known = new[key] {
                        let isSame = try lists[known.list].withValues { start, _ in
                            try start.map { try comparer.isSame(place, as: $0 + known.position) } ?? false
                        }
                        guard canBeShared, source.plan == nil, isSame else { throw NeedsObjects() }
                        rows.append(known.row)
                        continue
                    }
                    guard try source.hasNewVersion(place, as: binding) else { throw NeedsObjects() }
                    let row = try comparison.changes.insert(source.written(place, as: binding), as: binding)
                    if let key, let constraint {
                        try comparison.note(newKey: key, of: constraint, in: list)
                        new[key] = NewChild(row: row, list: index, position: child - starts[index])
                    }
                    rows.append(row)
                }
            }
        }
    }

    /// Searches the whole entity for children that are not members of their owners.
    ///
    /// - Returns: The key of each of these children; nil for the other ones, and for those without a key.
    private mutating func search(
        for constraint: ModelConstraint, comparer: RowComparer, canBeShared: Bool
    ) throws -> [SaveKey?] {
        var keys: [SaveKey?] = []
        try forEach { child, place in keys.append(matcher.rows[child] < 0 ? try comparer.key(place) : nil) }
        others = try comparison.find(
            Array(Set(keys.compactMap { $0 })), of: constraint, as: source, in: binding, comparer: comparer)
        places = keys.map { Int32($0.flatMap { others?.indices[$0] } ?? -1) }
        // The owner of such a child is another one, which a save through objects has to know.
        if !canBeShared, places.contains(where: { $0 >= 0 }) { throw NeedsObjects() }
        // The relations of a sub-entity may have other slots.
        if let others, !others.saved.allSatisfy({ $0.entity == binding.entity.key }) { throw NeedsObjects() }
        return keys
    }

    /// Returns the row that a child was matched with, or found as; nil for a new child.
    private func knownRow(of child: Int) -> TreeRow? {
        if matcher.rows[child] >= 0 { return members.saved[Int(matcher.rows[child])] }
        return places.isEmpty || places[child] < 0 ? nil : others?.saved[Int(places[child])]
    }

    /// Throws an error if two new children of one owner have the same key, because they are one object.
    private func checkNewKeys(of index: Int, comparer: RowComparer) throws {
        try lists[index].withValues { start, count in
            guard let start else { return }
            let new = (0..<count).filter { matcher.rows[starts[index] + $0] < 0 }
            if new.count > RowMatcher.searchedMembers {
                let keys = try new.compactMap { try comparer.key(start + $0) }
                if Set(keys).count < keys.count { throw NeedsObjects() }
                return
            }
            for (place, one) in new.enumerated() {
                for other in new[..<place] where try comparer.isSameKey(start + one, as: start + other) {
                    throw NeedsObjects()
                }
            }
        }
    }

    /// Updates the rows whose values differ.
    func updateChanged() throws {
        guard role.updates else { return }
        var changed = matcher.changed[...]
        if changed.isEmpty, others == nil { return }
        let (addresses, otherAddresses) = (members.rows?.addresses, others?.rows.addresses)
        try forEach { child, place in
            let stored: UnsafeRawPointer?
            if changed.first == child {
                changed.removeFirst()
                stored = addresses?[Int(matcher.rows[child])]
            } else {
                stored = places.isEmpty || places[child] < 0 ? nil : otherAddresses?[Int(places[child])]
            }
            guard let stored else { return }
            // An object that is in the trees again may have other values there. The end of the comparison finds it twice.
            try comparison.update(
                rows[child], to: place, from: stored, of: source, in: binding, movesVersion: movesVersion)
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
        for index in lists.indices {
            try lists[index].withValues { start, _ in try body((start, starts[index]..<starts[index + 1])) }
        }
    }

    // MARK: Results

    /// Links the children to their owners, and removes members that are no longer in the trees.
    func link(by rules: LinkRules) throws {
        let linker = ListLinker(
            owners: owners, starts: starts, rows: rows, members: members.saved, positions: members.positions,
            matcher: matcher, entity: binding.entity.key, role: role, comparison: comparison, rules: rules)
        for index in lists.indices { try linker.link(index) }
    }

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
        var trees = ComparedTrees<Source.Value>(links: names, movesVersion: movesVersion)
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
}
