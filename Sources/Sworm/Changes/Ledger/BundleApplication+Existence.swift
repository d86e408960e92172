import SwormPredicates

// Insertions and deletions.
extension BundleApplication {
    /// Merges the insertions and deletions of an object, and the fact that its attributes were changed.
    ///
    /// - Returns: Whether conflicts about its properties are reported. They are not if one side has deleted the object.
    func mergeExistence(of entry: LedgerEntry, _ items: [Item]) throws -> Bool {
        let (life, deleted, wasAlive) = (entry.state.life, entry.state.deleted, entry.isAlive(in: ledger))
        // The latest of those that have not come before.
        var (newLife, newDeletion): (BundleStamp?, BundleStamp?)
        for item in items {
            let (change, stamp) = (item.change, item.stamp)
            let isDeletion = change.kind == .deleted
            let isChange = change.kind == .inserted || !change.attributes.isEmpty || change.isWithoutValues
            if isChange { extend(entry, to: stamp) }
            if change.kind == .inserted, let known = bundle.properties[change.key.entity] {
                entry.state.missing = Set(entry.entity.writtenProperties).subtracting(known)
            }
            if isDeletion || change.replaces, ledger.isLater(stamp, than: entry.state.deleted) {
                entry.state.deleted = stamp
                revive(entry)
            }
            guard isNew(stamp, to: entry) else { continue }
            if isChange, ledger.isLater(stamp, than: newLife) { newLife = stamp }
            if isDeletion, ledger.isLater(stamp, than: newDeletion) { newDeletion = stamp }
        }
        if wasAlive, let life, let newDeletion, !(newLife?.knows(newDeletion) ?? false) {
            try compare(life, withDeletion: newDeletion, of: entry)
        } else if !wasAlive, let deleted, let newLife {
            try compare(deleted, withChange: newLife, of: entry)
        }
        let isAlive = entry.isAlive(in: ledger)
        if isAlive, entry.state.deleted != deleted { settlement.outlived.append(entry) }
        return isAlive && (wasAlive || deleted == nil)
    }

    /// Notes that an object was inserted, or that an attribute was changed.
    func extend(_ entry: LedgerEntry, to stamp: BundleStamp) {
        if ledger.isLater(stamp, than: entry.state.life) { entry.state.life = stamp }
    }

    /// Compares a change that this store knows with a deletion in the bundle.
    private func compare(_ life: BundleStamp, withDeletion deleted: BundleStamp, of entry: LedgerEntry) throws {
        guard life.isConcurrent(with: deleted) else { return }
        let isDeleted = !entry.isAlive(in: ledger)
        let choice = try decide(
            conflict(about: nil, of: entry, local: .changed, remote: .deleted, at: deleted, isRemoteLater: isDeleted))
        switch choice {
        case .local where isDeleted: try renew(entry)
        case .remote where !isDeleted: entry.state.deleted = entry.note(own())
        default: break
        }
    }

    /// Compares a deletion that this store knows with a change in the bundle.
    private func compare(_ deleted: BundleStamp, withChange life: BundleStamp, of entry: LedgerEntry) throws {
        guard life.isConcurrent(with: deleted) else { return }
        let isAlive = entry.isAlive(in: ledger)
        // A policy cannot keep an object whose values are unknown.
        let choice = try decide(
            conflict(about: nil, of: entry, local: .deleted, remote: .changed, at: life, isRemoteLater: isAlive),
            canChoose: isAlive)
        if case .local = choice { entry.state.deleted = entry.note(own()) }
    }

    /// Makes all values of an object changes of this store.
    private func renew(_ entry: LedgerEntry) throws {
        if let object = try ledger.object(of: entry) {
            try ledger.writeWhole(entry, of: object, at: own(), touchesOthers: false)
            try ledger.writeDirtyLinks(own())
            try ledger.renewLinks(to: entry, object, at: own())
        } else {
            let stamp = entry.note(own())
            entry.state.base = stamp
            entry.state.life = stamp
            entry.state.stamps = [:]
        }
    }
}
