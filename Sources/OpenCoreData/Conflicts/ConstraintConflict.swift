import SwormPredicates
import SwormStore

/// Unique values that several objects have.
///
/// It has the fields of Core Data's `NSConstraintConflict`, as values.
struct ConstraintConflict: Sendable {
    /// The properties whose values must be unique together.
    var constraint: [String]
    /// The row of the store that has the values; nil if only objects of the save have them.
    var databaseObject: RowID?
    /// The state of that row in the store.
    var databaseSnapshot: RowSnapshot?
    /// The objects of the save that have the values, in the order of their insertion.
    var conflictingObjects: [RowID]
}
