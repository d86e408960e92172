import SwormPredicates

/// The application of one bundle.
///
/// Merging is a union of writes: of each property the latest one is kept, whatever the order in which they come. First the
/// insertions and deletions of all objects are merged, and then the properties.
final class BundleApplication {
    /// A change of the bundle, with the stamp of its transaction.
    struct Item {
        var change: ChangeBundle.Change
        var stamp: BundleStamp
    }

    let ledger: BundleLedger
    let bundle: ChangeBundle
    let policy: ConflictPolicy
    /// The index of the bundle's origin.
    private let sender: Int
    private(set) var conflicts: [ChangeConflict] = []
    private var ownStamp: BundleStamp?
    /// The records that have taken a deletion, or a value that is older than a deletion.
    private var revived: Set<BundleIdentity> = []
    let settlement: BundleSettlement

    init(_ bundle: ChangeBundle, to ledger: BundleLedger, policy: ConflictPolicy) {
        self.bundle = bundle
        self.ledger = ledger
        self.policy = policy
        settlement = BundleSettlement(ledger)
        sender = ledger.index(ofOrigin: bundle.origin)
    }

    func run() throws {
        var entries: [LedgerEntry] = []
        for (entry, items) in try changes() {
            let reports = try mergeExistence(of: entry, items)
            for item in items { try merge(item, into: entry, reports: reports) }
            entries.append(entry)
        }
        for entry in entries where revived.contains(entry.identity) && entry.isAlive(in: ledger) {
            // The stores that have applied the deletion need the values again.
            if !entry.hasOutlivedValues(in: ledger) { continue }
            entry.state.restored = own().number
            entry.note(own())
        }
        settlement.unsettled += entries
        try settlement.settle()
        try noteApplied(entries)
    }

    /// Returns the changes of each object, in the order of their transactions.
    private func changes() throws -> [(LedgerEntry, [Item])] {
        var identities: [BundleIdentity] = []
        var items: [BundleIdentity: [Item]] = [:]
        for transaction in bundle.transactions {
            var changed: Set<BundleIdentity> = []
            for change in transaction.changes {
                let identity = try BundleIdentity(change.key)
                guard changed.insert(identity).inserted else {
                    throw StoreError(
                        .invalidBundle,
                        "The transaction \(transaction.number) of '\(transaction.origin)' changes \(excerpt(change.key)) twice.",
                        entity: change.key.entity)
                }
                if items[identity] == nil { identities.append(identity) }
                items[identity, default: []].append(Item(change: change, stamp: stamp(of: change, in: transaction)))
            }
        }
        try ledger.load(Set(identities))
        return try identities.map { identity in
            let entry = try ledger.entry(identity)
            let items = items[identity] ?? []
            for item in items { try ledger.check(item.change, of: entry.entity) }
            return (entry, items)
        }
    }

    private func stamp(of change: ChangeBundle.Change, in transaction: ChangeBundle.Transaction) -> BundleStamp {
        BundleStamp(
            clock: transaction.time, origin: ledger.index(ofOrigin: transaction.origin), number: transaction.number,
            seen: indices(of: transaction.seen.merging(change.seen) { max($0, $1) }))
    }

    private func indices(of numbers: [String: Int64]) -> [Int: Int64] {
        var indices: [Int: Int64] = [:]
        for (origin, number) in numbers { indices[ledger.index(ofOrigin: origin)] = number }
        return indices
    }

    private func noteApplied(_ entries: [LedgerEntry]) throws {
        let applied = self.applied
        ledger.changeState { state in
            state.clock = bundle.transactions.reduce(state.clock) { max($0, $1.time) }
            state.applied.merge(applied) { max($0, $1) }
        }
        for (key, seen) in bundle.restored {
            guard let entry = try ledger.existingEntry(BundleIdentity(key)) else { continue }
            entry.state.covered.merge(indices(of: seen)) { max($0, $1) }
        }
        let all = ledger.state.applied
        for entry in entries where !entry.state.covered.isEmpty {
            entry.state.covered = entry.state.covered.filter { $0.key != 0 && $0.value > all[$0.key] ?? 0 }
        }
    }

    /// The numbers that this store has applied with the bundle.
    private var applied: [Int: Int64] {
        var applied: [Int: Int64] = bundle.isSnapshot ? indices(of: bundle.seen) : [:]
        applied[0] = nil
        applied[sender] = bundle.number
        return applied
    }

    /// Notes that stores which have applied a deletion may have lost values of a record.
    func revive(_ entry: LedgerEntry) { revived.insert(entry.identity) }

    /// The stamp of what this store writes because of the bundle.
    func own() -> BundleStamp {
        if let ownStamp { return ownStamp }
        let latest = bundle.transactions.reduce(0) { max($0, $1.time) }
        let stamp = ledger.nextStamp(
            time: latest + 1, seen: ledger.state.applied.merging(applied) { max($0, $1) })
        ownStamp = stamp
        return stamp
    }

    // MARK: Conflicts

    /// Returns whether a write has not come before.
    func isNew(_ stamp: BundleStamp, to entry: LedgerEntry) -> Bool {
        guard stamp.origin != 0 else { return false }
        return stamp.number > max(ledger.state.applied[stamp.origin] ?? 0, entry.state.covered[stamp.origin] ?? 0)
    }

    /// Reports a conflict, and returns the decision.
    ///
    /// - Parameter canChoose: Whether the policy is asked.
    func decide(_ conflict: ChangeConflict, canChoose: Bool = true) throws -> ConflictPolicy.Choice {
        var conflict = conflict
        let choice = canChoose ? try policy.choose(conflict) : .later
        switch choice {
        case .later: break
        case .local: conflict.kept = .local
        case .remote: conflict.kept = .remote
        case .value: if case .attribute = conflict.local { conflict.kept = .other }
        }
        conflicts.append(conflict)
        return choice
    }

    func conflict(
        about property: String?, of entry: LedgerEntry, local: ChangeConflict.Value, remote: ChangeConflict.Value,
        at stamp: BundleStamp, isRemoteLater: Bool
    ) -> ChangeConflict {
        ChangeConflict(
            key: entry.identity.bundleKey, property: property, local: local, remote: remote,
            origin: ledger.state.origins[stamp.origin], number: stamp.number,
            kept: isRemoteLater ? .remote : .local)
    }
}
