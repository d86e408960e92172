import SwormPredicates

/// What a managed object knows of its row as the store holds it.
enum ObjectSnapshot {
    /// The object was never saved.
    case none
    /// The row has not been read, or was given up.
    case fault(FaultHint?)
    /// The row is one of a fetch.
    case row(FetchGroup, Int)
    /// The row is known because this context wrote it.
    case values(CommittedRow)

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
    var toOnes: [SaveRequest.Row?]
}
