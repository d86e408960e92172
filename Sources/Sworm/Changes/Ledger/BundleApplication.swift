import SwormPredicates

/// The application of one bundle.
final class BundleApplication {
    let ledger: BundleLedger
    let bundle: ChangeBundle
    let policy: ConflictPolicy
    /// The index of the bundle's origin.
    let sender: Int
    /// The numbers that the origin of the bundle had seen, by the indices of this store.
    private let seen: [Int: Int64]
    private(set) var conflicts: [ChangeConflict] = []
    private var ownStamp: BundleStamp?
    let settlement: BundleSettlement

    init(_ bundle: ChangeBundle, to ledger: BundleLedger, policy: ConflictPolicy) {
        self.bundle = bundle
        self.ledger = ledger
        self.policy = policy
        settlement = BundleSettlement(ledger)
        sender = ledger.index(ofOrigin: bundle.origin)
        var seen: [Int: Int64] = [:]
        for (origin, number) in bundle.seen { seen[ledger.index(ofOrigin: origin)] = number }
        self.seen = seen
    }

    func run() throws {
        var identities: Set<BundleIdentity> = []
        for transaction in bundle.transactions {
            var changed: Set<BundleIdentity> = []
            for change in transaction.changes {
                guard changed.insert(try BundleIdentity(change.key)).inserted else {
                    throw StoreError(
                        .invalidBundle,
                        "The transaction \(transaction.number) of '\(transaction.origin)' changes \(excerpt(change.key)) twice.",
                        entity: change.key.entity)
                }
            }
            identities.formUnion(changed)
        }
        try ledger.load(identities)
        for transaction in bundle.transactions {
            let stamp = BundleStamp(
                clock: transaction.time, origin: ledger.index(ofOrigin: transaction.origin),
                number: transaction.number)
            for change in transaction.changes { try merge(change, at: stamp) }
        }
        try settlement.settle()
        ledger.changeState { state in
            state.clock = bundle.transactions.reduce(state.clock) { max($0, $1.time) }
            state.applied[sender] = max(state.applied[sender] ?? 0, bundle.number)
            if bundle.isSnapshot {
                for (origin, number) in seen where origin != 0 {
                    state.applied[origin] = max(state.applied[origin] ?? 0, number)
                }
            }
            state.seen[sender, default: [:]].merge(seen) { max($0, $1) }
        }
    }

    /// The stamp of the changes of this store that decide against the later change.
    func own() -> BundleStamp {
        if let ownStamp { return ownStamp }
        let latest = bundle.transactions.reduce(0) { max($0, $1.time) }
        let stamp = ledger.nextStamp(time: latest + 1)
        ownStamp = stamp
        return stamp
    }

    // MARK: Conflicts

    /// Returns whether two writes were made without knowledge of each other.
    func isConcurrent(_ remote: BundleStamp, with local: BundleStamp?) -> Bool {
        guard let local, local.origin != remote.origin else { return false }
        // This store knows the write already, so that it was compared when it came.
        if remote.number <= ledger.state.applied[remote.origin] ?? 0 { return false }
        let known = local.origin == sender ? bundle.number : seen[local.origin] ?? 0
        if known >= local.number { return false }
        guard local.origin != 0 else { return true }
        return (ledger.state.seen[local.origin]?[remote.origin] ?? 0) < remote.number
    }

    /// Reports a conflict, and returns the decision.
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
