/// The rows of a live request at one moment.
struct LiveRows<PlainObject: ManagedObjectConvertible> {
    var records: [LiveRecord<PlainObject>] = []
    var sources = LiveSources()
    /// Compares the values of two rows with the same identity; nil if their versions are enough.
    var isSameValue: (@Sendable (PlainObject, PlainObject) -> Bool)?

    func isSame(_ one: LiveRecord<PlainObject>, _ other: LiveRecord<PlainObject>) -> Bool {
        guard one.version == other.version else { return false }
        return isSameValue.map { $0(one.value, other.value) } ?? true
    }

    /// Returns whether the rows are the same, in the same order and with the same values.
    func isSame(as other: LiveRows) -> Bool {
        records.count == other.records.count
            && zip(records, other.records).allSatisfy { $0.identity == $1.identity && isSame($0, $1) }
    }

    /// Returns the differences from earlier rows.
    func changes(since old: LiveRows?) -> ListChanges {
        let old = old ?? LiveRows()
        return ListChanges(from: old.records.lazy.map(\.identity), to: records.lazy.map(\.identity)) { before, now in
            isSame(old.records[before], records[now])
        }
    }
}

extension LiveRows: Sendable where PlainObject: Sendable {}
