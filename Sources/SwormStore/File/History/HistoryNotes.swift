/// The objects that a save changes beside those that it inserts, each of them once.
struct HistoryNotes {
    /// An object by its hierarchy: what leads to it need not know its very entity.
    struct Object: Hashable {
        var root: Int
        var key: Int64
    }

    struct Deletion {
        var entity: Int
        var object: Object
        /// The values that outlive it.
        var tombstones: [StoredValue]
    }

    /// In the order in which the save came upon them.
    private(set) var changed: [Object] = []
    private(set) var properties: [Object: Set<PropertySlot>] = [:]
    private(set) var deletions: [Deletion] = []
    /// The rows that were inserted past the request.
    private(set) var insertions: [RowID] = []
    private(set) var deleted: Set<Object> = []

    mutating func change(_ object: Object, _ slots: some Sequence<PropertySlot>) {
        if properties[object] == nil { changed.append(object) }
        properties[object, default: []].formUnion(slots)
    }

    mutating func insert(_ row: RowID) { insertions.append(row) }

    mutating func delete(_ deletion: Deletion) {
        if deleted.insert(deletion.object).inserted { deletions.append(deletion) }
    }
}
