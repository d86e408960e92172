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
    func note(_ stamp: BundleStamp) { if stamp.origin == 0 { number = max(number, stamp.number) } }
}
