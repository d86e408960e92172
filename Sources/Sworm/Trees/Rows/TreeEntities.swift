/// The entities whose objects trees read.
struct TreeEntities: Sendable {
    var names: Set<String> = []
    /// Whether conditions, orders or columns may read further entities.
    var readsOthers = false

    mutating func merge(_ other: TreeEntities) {
        names.formUnion(other.names)
        readsOthers = readsOthers || other.readsOthers
    }
}
