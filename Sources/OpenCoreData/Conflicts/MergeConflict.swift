import SwormPredicates
import SwormStore

/// A row that was changed or deleted in the store since the context read it, and that a save writes or leads to.
///
/// It has the fields of Core Data's `NSMergeConflict`, as values.
struct MergeConflict: Sendable {
    /// The object whose state conflicts with the row.
    var sourceObject: RowID
    /// The version that the context has read.
    var oldVersionNumber: Int64
    /// The row as the context has read it; nil when it was never read.
    var cachedSnapshot: RowSnapshot?
    /// The row as the store holds it now; nil when it was deleted.
    var persistedSnapshot: RowSnapshot?
    /// The object's values with its unsaved changes; nil when its row was never read.
    var objectSnapshot: RowSnapshot?

    /// The version that the store holds now; 0 when the row was deleted.
    var newVersionNumber: Int64 { persistedSnapshot?.version ?? 0 }
}
