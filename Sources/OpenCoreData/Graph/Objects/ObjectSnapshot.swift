import SwormPredicates
import SwormStore

/// What a managed object knows of its row as the store holds it.
enum ObjectSnapshot {
    /// The object was never saved.
    case none
    /// The row has not been read, or was given up.
    case fault(FaultHint?)
    /// The row is one of a fetch.
    case row(FetchGroup, Int)
    /// The row is one of a fetch, some of whose values this context wrote.
    case patched(PatchedRow)
    /// The row is known because this context wrote it.
    case values(CommittedRow)

    /// The row of a fetch that tells where the row's to-one relationships lead.
    var fetched: (group: FetchGroup, row: Int)? {
        switch self {
        case .row(let group, let row): (group, row)
        case .patched(let patched): (patched.group, patched.row)
        case .none, .fault, .values: nil
        }
    }

    /// Whether the object was never saved; it need not belong to a context.
    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    var isFault: Bool {
        if case .fault = self { true } else { false }
    }

    var version: Int64? {
        switch self {
        case .none, .fault: nil
        case .row(let group, let row): group.version(row: row)
        case .patched(let patched): patched.version
        case .values(let committed): committed.version
        }
    }
}

/// A row as this context last wrote it.
struct CommittedRow {
    var version: Int64
    /// By attribute slot.
    var attributes: [AttributeValue]
    /// By relationship slot; nil for to-many relationships and empty to-ones.
    var toOnes: [RowID?]
}

/// A row of a fetch, and the attributes of it that were written since. Relationships are as they were.
final class PatchedRow {
    let group: FetchGroup
    let row: Int
    let version: Int64
    let values: SlotValues

    /// The state of an object after its changes were written; nil where more than some attributes of a fetched row has
    /// changed, and where a value is known to the object alone.
    init?(_ object: NSManagedObject, version: Int64) {
        guard case .row(let group, let row) = object.snapshot, object.changedRelationships.isEmpty,
            object.plan.keepsAllAttributes
        else { return nil }
        self.group = group
        self.row = row
        self.version = version
        values = object.changedStoredAttributes
    }
}
