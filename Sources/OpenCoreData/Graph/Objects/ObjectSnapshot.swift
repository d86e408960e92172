import SwormPredicates
import SwormStore

/// The state of a managed object's row in the store, as far as the object knows it.
enum ObjectSnapshot {
    /// The object was never saved.
    case none
    /// The row has not been read, or was discarded.
    case fault(FaultHint?)
    /// A row of a fetch that no property was read from yet.
    case unfired(RowSet, Int)
    /// A row of a fetch.
    case row(RowSet, Int)
    /// A row of a fetch, with some values that this context wrote.
    case patched(PatchedRow)
    /// A row that this context wrote.
    case values(CommittedRow)
    /// A row of one of the last three kinds, with values that `awakeFromFetch` has set.
    case awakened(AwakenedRow)

    /// The row of a fetch that contains the destinations of the row's to-one relationships.
    var fetched: (group: RowSet, row: Int)? {
        switch self {
        case .row(let group, let row), .unfired(let group, let row): (group, row)
        case .patched(let patched): (patched.group, patched.row)
        case .awakened(let awakened): awakened.row.fetched
        case .none, .fault, .values: nil
        }
    }

    /// Whether the object was never saved. Such an object may have no context.
    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Whether no property was read yet.
    var isFault: Bool {
        switch self {
        case .fault, .unfired: true
        case .none, .row, .patched, .values, .awakened: false
        }
    }

    /// Whether the row is unknown.
    var isUnread: Bool {
        if case .fault = self { true } else { false }
    }

    /// Whether the row is known, but no property was read yet.
    var isUnfired: Bool {
        if case .unfired = self { true } else { false }
    }

    var version: Int64? {
        switch self {
        case .none, .fault: nil
        case .row(let group, let row), .unfired(let group, let row): group.version(row: row)
        case .patched(let patched): patched.version
        case .values(let committed): committed.version
        case .awakened(let awakened): awakened.row.version
        }
    }

    /// The row as it is in the store, without values that `awakeFromFetch` has set.
    var stored: ObjectSnapshot {
        if case .awakened(let awakened) = self { awakened.row } else { self }
    }

    /// Returns the value of an attribute that is not read from the row of a fetch.
    func ownValue(_ slot: Int) -> AttributeValue? {
        switch self {
        case .none, .fault, .unfired, .row: nil
        case .patched(let patched): patched.values[slot]
        case .values(let committed): committed.attributes[slot]
        case .awakened(let awakened): awakened.values[slot] ?? awakened.row.ownValue(slot)
        }
    }

    /// Returns the snapshot with another row, and with the values that `awakeFromFetch` has set.
    ///
    /// - Parameter slots: The attributes whose values are those of the row.
    func replacingRow(by row: ObjectSnapshot, forgetting slots: [Int] = []) -> ObjectSnapshot {
        guard case .awakened(let awakened) = self else { return row }
        var values = awakened.values
        for slot in slots { values[slot] = nil }
        return values.isEmpty ? row : .awakened(AwakenedRow(row, values: values))
    }
}

/// A row as this context last wrote it.
struct CommittedRow {
    var version: Int64
    /// The values by attribute slot.
    var attributes: [AttributeValue]
    /// The destinations by relationship slot; nil for to-many relationships and empty to-one relationships.
    var toOnes: [RowID?]
}

/// A row of a fetch, with the attributes that were written since. Relationships are unchanged.
final class PatchedRow {
    let group: RowSet
    let row: Int
    let version: Int64
    let values: SlotValues

    init(group: RowSet, row: Int, version: Int64, values: SlotValues) {
        self.group = group
        self.row = row
        self.version = version
        self.values = values
    }

    /// Creates the state of an object after its changes were written; nil if more than a few attributes of a fetched
    /// row changed, or if a value is known to the object only.
    init?(_ object: NSManagedObject, version: Int64) {
        guard case .row(let group, let row) = object.snapshot, object.changedRelationships.isEmpty,
            object.compiledEntity.keepsAllAttributes
        else { return nil }
        self.group = group
        self.row = row
        self.version = version
        values = object.changedStoredAttributes
    }
}

/// A row whose object has other values for some attributes: those that `awakeFromFetch` has set. They are not saved, so
/// a merge with the row of the store does not regard them as values that were read.
final class AwakenedRow {
    let row: ObjectSnapshot
    let values: SlotValues

    init(_ row: ObjectSnapshot, values: SlotValues) {
        self.row = row
        self.values = values
    }
}
