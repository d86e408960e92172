import SwormPredicates
import SwormStore

/// Unique values that several objects hold.
///
/// It has the fields of Core Data's `NSConstraintConflict`, as values.
struct ConstraintConflict: Sendable {
    /// The properties whose values must be unique together.
    var constraint: [String]
    /// The row of the store that holds the values; nil when all that hold them are objects of the save.
    var databaseObject: RowID?
    /// That row as the store holds it.
    var databaseSnapshot: RowSnapshot?
    /// The objects of the save that are to hold the values.
    var conflictingObjects: [RowID]
}
