import SwormPredicates
import SwormStore

/// A row that was changed or deleted in the store after the context read it, and that a save writes or refers to.
///
/// It has the fields of Core Data's `NSMergeConflict`, as values.
struct MergeConflict: Sendable {
    /// The object whose state conflicts with the row.
    var sourceObject: RowID
    /// The version that the context read.
    var oldVersionNumber: Int64
    /// The row as the context read it; nil if it was never read.
    var cachedSnapshot: RowSnapshot?
    /// The current row in the store; nil if it was deleted.
    var persistedSnapshot: RowSnapshot?
    /// The object's values with its unsaved changes; nil if its row was never read.
    var objectSnapshot: RowSnapshot?

    /// The current version in the store; 0 if the row was deleted.
    var newVersionNumber: Int64 { persistedSnapshot?.version ?? 0 }
}
