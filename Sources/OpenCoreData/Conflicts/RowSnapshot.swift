import SwormStore

/// The stored properties of a row at one point in time.
struct RowSnapshot: Sendable, Equatable {
    /// The row, identified by its most specific entity.
    var row: RowID
    var version: Int64
    /// The values by attribute slot. A transient attribute has its default value.
    var attributes: [SnapshotValue]
    /// The destinations by relationship slot; nil for to-many relationships and for to-one relationships without a
    /// destination.
    var toOnes: [RowID?]
}
