/// The stored rows behind a relation, for each list.
struct StoredMembers<Value> {
    let rows: TreeRows<Value>?
    let saved: [TreeRow]
    let positions: MemberPositions

    init(rows: TreeRows<Value>? = nil, positions: MemberPositions = .none) {
        (self.rows, self.positions) = (rows, positions)
        saved = rows?.saved ?? []
    }
}

/// The positions of the stored rows of each list, and the row at each position.
enum MemberPositions {
    case none
    /// A group of rows for each list.
    case groups(RowGroups, of: KeyList)
    /// At most one row for each list: its index, or -1.
    case rows([Int], of: KeyList)

    /// Returns the positions of the members of a list's owner.
    subscript(list: Int) -> Range<Int> {
        switch self {
        case .none: return 0..<0
        case .groups(let groups, let keys): return keys.isMissing(list) ? 0..<0 : groups[keys.index(list)]
        case .rows(let rows, let keys):
            guard !keys.isMissing(list) else { return 0..<0 }
            let row = rows[keys.index(list)]
            return row < 0 ? 0..<0 : row..<row + 1
        }
    }

    /// Returns the row at a position.
    func row(at position: Int) -> Int {
        if case .groups(let groups, _) = self { return groups.row(at: position) }
        return position
    }
}
