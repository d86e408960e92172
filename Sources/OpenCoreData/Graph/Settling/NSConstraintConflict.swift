public import Foundation
import SwormStore

/// A conflict between objects that have the same unique values.
///
/// The error of a save, `CocoaError.managedObjectConstraintMerge`, contains the conflicts under
/// `NSPersistentStoreSaveConflictsErrorKey`.
open class NSConstraintConflict: NSObject {
    /// The names of the properties whose values must be unique together.
    public let constraint: [String]
    /// The values of these properties, with `NSNull` for nil.
    public let constraintValues: [String: Any]
    /// The object whose row has the values in the store; nil if only unsaved objects have them.
    public let databaseObject: NSManagedObject?
    /// The values in the store of that row.
    public let databaseSnapshot: [String: Any]?
    /// The unsaved objects that have the values, in the order of their insertion.
    public let conflictingObjects: [NSManagedObject]
    /// The saved values of these objects, in the same order; empty for an object that was never saved.
    public let conflictingSnapshots: [[AnyHashable: Any]]
    /// The settling of the running save that has the conflict.
    final var resolution: ConflictResolution?

    /// Creates a conflict.
    ///
    /// - Parameters:
    ///   - contraint: The names of the properties whose values must be unique together.
    ///   - databaseObject: The object whose row has the values in the store; nil if only unsaved objects have them.
    ///   - databaseSnapshot: The values in the store of that row.
    ///   - conflictingObjects: The unsaved objects that have the values.
    ///   - conflictingSnapshots: The saved values of these objects, in the same order. Elements that are no dictionaries count as
    ///     empty ones.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        constraintValues = conflictingObjects.first.map { $0.identifyingValues(of: contraint) } ?? [:]
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot.map { snapshot in
            Dictionary(snapshot.map { ("\($0.key)", $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
        super.init()
    }

    convenience init(
        _ conflict: ConstraintConflict, of objects: [NSManagedObject], database: NSManagedObject?,
        _ origin: ObjectOrigin
    ) {
        self.init(
            constraint: conflict.constraint, database: database,
            databaseSnapshot: database.flatMap { object in
                conflict.databaseSnapshot.map { object.values(of: $0, origin) }
            },
            conflicting: objects, conflictingSnapshots: objects.map { $0.storedValues(forKeys: nil) })
    }

    /// A description with the constraint and the objects.
    open override var description: String {
        let database = databaseObject.map { "\($0.objectID)" } ?? "none"
        let objects = conflictingObjects.map { "\($0.objectID)" }.joined(separator: ", ")
        return
            "NSConstraintConflict for (\(constraint.joined(separator: ", "))): database: \(database), conflicting objects: \(objects)"
    }
}
