/// The objects that a save changes in addition to those that it inserts, each of them once.
struct HistoryNotes {
    /// An object, identified by its hierarchy, because a reference to it does not always reveal its actual entity.
    struct Object: Hashable {
        var root: Int
        var key: Int64
    }

    struct Deletion {
        var entity: Int
        var object: Object
        /// The values that are preserved after the deletion.
        var tombstones: [StoredValue]
    }

    /// The changed objects, in the order in which the save encountered them.
    private(set) var changed: [Object] = []
    private(set) var properties: [Object: Set<PropertySlot>] = [:]
    private(set) var deletions: [Deletion] = []
    /// The rows that were inserted without being part of the request.
    private(set) var insertions: [RowID] = []
    private(set) var deleted: Set<Object> = []

    mutating func change(_ object: Object, properties slots: some Sequence<PropertySlot>) {
        if properties[object] == nil { changed.append(object) }
        properties[object, default: []].formUnion(slots)
    }

    mutating func insert(_ row: RowID) { insertions.append(row) }

    mutating func delete(_ deletion: Deletion) {
        if deleted.insert(deletion.object).inserted { deletions.append(deletion) }
    }
}
