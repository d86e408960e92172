import Sworm

/// The state of one call as plain values: what it sees, and what its end will save.
struct PlainCall {
    enum Change: Equatable {
        case inserted
        case updated(Set<PlainStore.Field>)
        case deleted
    }

    enum Ending: Equatable {
        case saved(PlainStore)
        /// The save throws an error with one of the codes.
        case rejected([StoreError.Code])
    }

    /// The state that its reads see.
    var visible: PlainStore
    /// The state that its objects were read from.
    var base: PlainStore
    /// The unsaved changes of objects, by the number of the leaf.
    private(set) var changes: [Int: Change] = [:]
    /// Whether something was read, so that its snapshot is fixed.
    var isReading = false
    /// Whether it holds the write lock.
    private(set) var isWriting: Bool
    /// Whether the snapshot had been read before the write lock was taken.
    private var hasReadBefore = false

    init(_ committed: PlainStore, isWriting: Bool) {
        visible = committed
        base = committed
        self.isWriting = isWriting
    }

    /// The call takes the write lock for a bulk write.
    mutating func beginWriting() {
        guard !isWriting else { return }
        (isWriting, hasReadBefore) = (true, isReading)
    }

    // MARK: Changes of objects

    mutating func insert(_ leaf: PlainStore.Leaf) {
        visible[leaf.id] = leaf
        changes[leaf.id] = .inserted
    }

    mutating func change(_ id: Int, _ fields: Set<PlainStore.Field>, _ body: (inout PlainStore.Leaf) -> Void) {
        guard var leaf = visible[id] else { return }
        body(&leaf)
        visible[id] = leaf
        switch changes[id] {
        case .inserted?: break
        case .updated(let before)?: changes[id] = .updated(before.union(fields))
        default: changes[id] = .updated(fields)
        }
    }

    mutating func delete(_ id: Int) {
        visible[id] = nil
        changes[id] = changes[id] == .inserted ? nil : .deleted
    }

    /// A bulk write deletes a leaf.
    mutating func drop(_ id: Int) {
        visible[id] = nil
        changes[id] = nil
    }

    mutating func deleteStem(_ key: Int) {
        visible.stems.remove(key)
        for leaf in visible.leaves where leaf.owner == key {
            change(leaf.id, [.owner]) { $0.owner = nil }
        }
    }

    // MARK: Ends

    /// Goes back to the state that there was before an inner call that threw.
    ///
    /// - Parameters:
    ///   - before: That state.
    ///   - committed: The present state of the store.
    mutating func undo(to before: PlainCall, over committed: PlainStore) {
        let inner = self
        self = before
        guard !before.isWriting else { return }
        // A lock that holds the snapshot that was read is kept with it; any other one is given back.
        if inner.isWriting, inner.hasReadBefore { (isWriting, hasReadBefore) = (true, true) }
        guard !before.isReading else { return }
        isReading = inner.isWriting ? inner.hasReadBefore : inner.isReading
        see(isReading ? inner.base : committed)
    }

    /// Sees another state of the store, where nothing was read before.
    mutating func see(_ state: PlainStore) {
        guard state != base else { return }
        let inserted = changes.keys.compactMap { visible[$0] }
        let stems = visible.stems
        (base, visible) = (state, state)
        for leaf in inserted { visible[leaf.id] = leaf }
        visible.stems = stems
    }

    /// The end of a call that did not throw.
    ///
    /// - Parameters:
    ///   - committed: The present state of the store.
    ///   - policy: The merge policy.
    func ending(over committed: PlainStore, _ policy: NSMergePolicyType) -> Ending {
        let isSettling = policy != .errorMergePolicyType
        let contextWins =
            policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
        var codes: [StoreError.Code] = []
        var result = committed
        if isWriting {
            result = visible
            for (id, change) in changes where change == .inserted { result[id] = nil }
        } else {
            result.stems = visible.stems
            if !isSettling, changes.contains(where: { $1 != .inserted && base[$0] != committed[$0] }) {
                codes.append(.conflict)
            }
            for (id, change) in changes where change != .inserted {
                result[id] = settled(id, change, committed[id], policy, contextWins)
            }
        }
        for id in changes.keys.sorted() where changes[id] == .inserted {
            guard let leaf = visible[id] else { continue }
            guard let holder = result.leaf(withKey: leaf.key) else {
                result[id] = leaf
                continue
            }
            // The two become one.
            if !isSettling { codes.append(.uniquenessViolation) }
            guard contextWins else { continue }
            var united = holder
            (united.a, united.b, united.owner) = (leaf.a, leaf.b, leaf.owner ?? holder.owner)
            result[holder.id] = united
        }
        return codes.isEmpty ? .saved(result) : .rejected(codes)
    }

    private func settled(
        _ id: Int, _ change: Change, _ theirs: PlainStore.Leaf?, _ policy: NSMergePolicyType, _ contextWins: Bool
    ) -> PlainStore.Leaf? {
        let (old, mine) = (base[id], visible[id])
        let isConflict = old != theirs
        guard case .updated(let fields) = change, let old, let mine else {
            return isConflict && !contextWins ? theirs : nil
        }
        guard var leaf = theirs else { return contextWins ? mine : nil }
        if isConflict, policy == .rollbackMergePolicyType { return leaf }
        if isConflict, policy == .overwriteMergePolicyType { return mine }
        for field in fields {
            let givesWay = policy == .mergeByPropertyStoreTrumpMergePolicyType && !leaf.agrees(with: old, in: field)
            if !isConflict || !givesWay { leaf.take(field, from: mine) }
        }
        return leaf
    }
}
