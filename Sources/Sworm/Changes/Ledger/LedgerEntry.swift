/// A relation of the object of a record.
struct LinkEnd: Hashable {
    let entry: LedgerEntry
    let relation: BundleEntity.Relation

    static func == (one: LinkEnd, other: LinkEnd) -> Bool {
        one.entry === other.entry && one.relation.name == other.relation.name
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(entry))
        hasher.combine(relation.name)
    }
}

/// The record of one object, during a call.
final class LedgerEntry {
    let identity: BundleIdentity
    let entity: BundleEntity
    var row: Int64 = 0
    var number: Int64 = 0
    var state = RecordState() { didSet { isChanged = true } }
    var isChanged = true
    var handle: ManagedObject<BundleRecord>?
    var object: NSManagedObject?

    init(_ identity: BundleIdentity, of entity: BundleEntity) {
        self.identity = identity
        self.entity = entity
    }

    /// Whether the object exists, for all stores that know the same writes. A deletion does not remove what the same or a
    /// later transaction has inserted or changed.
    func isAlive(in ledger: BundleLedger) -> Bool {
        guard let life = state.life else { return false }
        guard let deleted = state.deleted, deleted != life else { return true }
        return ledger.isLater(life, than: deleted)
    }

    /// Notes a change of this store.
    ///
    /// - Returns: The stamp, with what this store knows of this object beside the bundles that it has applied.
    @discardableResult
    func note(_ stamp: BundleStamp) -> BundleStamp {
        guard stamp.origin == 0 else { return stamp }
        number = max(number, stamp.number)
        if state.covered.isEmpty { return stamp }
        var stamp = stamp
        stamp.seen.merge(state.covered.filter { $0.key != 0 }) { max($0, $1) }
        return stamp
    }

    // MARK: Attributes and to-one relations

    /// Whether the value of an attribute is known.
    func hasValue(_ name: String) -> Bool { row != 0 || state.values[name] != nil }

    /// Whether the destination of a to-one relation is known.
    func hasTarget(_ name: String) -> Bool { row != 0 || state.targets[name] != nil }

    /// Whether all attributes and to-one relations are known, or have their default values.
    var isComplete: Bool {
        if row != 0 { return true }
        return entity.contents.allSatisfy { state.values[$0] != nil || state.missing.contains($0) }
            && entity.relations.values.allSatisfy {
                $0.isToMany || state.targets[$0.name] != nil || state.missing.contains($0.name)
            }
    }

    /// The names of the attributes and to-one relations that are known.
    private var known: [String] {
        entity.contents.filter { hasValue($0) }
            + entity.relations.values.filter { !$0.isToMany && hasTarget($0.name) }.map(\.name)
    }

    /// Replaces the insertion by a later one. The known properties keep their stamps.
    func setBase(_ stamp: BundleStamp) {
        if let base = state.base {
            for name in known where state.stamps[name] == nil { state.stamps[name] = base }
        }
        state.base = stamp
    }

    func setStamp(_ stamp: BundleStamp, of name: String) {
        state.stamps[name] = stamp == state.base ? nil : stamp
    }

    /// Whether values are older than the last deletion, so that other stores may have lost them.
    func hasOutlivedValues(in ledger: BundleLedger) -> Bool {
        guard let deleted = state.deleted else { return false }
        let stamps = known.compactMap { state.stamp($0) } + state.orders.values.map(\.stamp)
        return stamps.contains { ledger.isLater(deleted, than: $0) }
    }

    /// Removes what a deletion removes: everything that is older, except the deletion itself.
    func erase(in ledger: BundleLedger) {
        guard let deleted = state.deleted else { return }
        state.stamps = state.stamps.filter { ledger.isLater($0.value, than: deleted) }
        state.targets = state.targets.filter { state.stamps[$0.key] != nil }
        state.orders = state.orders.filter { ledger.isLater($0.value.stamp, than: deleted) }
        state.links = state.links.compactMapValues { links in
            let later = links.filter { ledger.isLater($0.value.stamp, than: deleted) }
            return later.isEmpty ? nil : later
        }
        state.base = nil
        state.values = [:]
        state.replaced = [:]
        state.restored = 0
        state.missing = []
    }
}
