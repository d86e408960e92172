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
    ///
    /// If a merge policy uses this object before it resolves the conflict, it remains the object of the row. Otherwise
    /// a new object with the values becomes the object of the row, unless the context already has one.
    public var databaseObject: NSManagedObject? {
        if let known = database { return known }
        database = unused?.find()
        return database
    }
    /// The values in the store of that row.
    public let databaseSnapshot: [String: Any]?
    /// The unsaved objects that have the values, in the order of their insertion.
    public let conflictingObjects: [NSManagedObject]
    /// The saved values of these objects, in the same order; empty for an object that was never saved.
    public let conflictingSnapshots: [[AnyHashable: Any]]
    /// The settling of the running save that has the conflict.
    final var resolution: ConflictResolution?
    private final var database: NSManagedObject?
    /// The row whose object was not asked for yet.
    private final var unused: (id: NSManagedObjectID, find: () -> NSManagedObject?)?

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
        database = databaseObject
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

    /// Creates the conflict of a row without an object in its context. The object is created when it is asked for.
    ///
    /// - Parameters:
    ///   - objects: The unsaved objects that have the values.
    ///   - peer: One of them that has the entity of the row.
    convenience init(
        _ conflict: ConstraintConflict, of objects: [NSManagedObject], with peer: NSManagedObject, row: RowID,
        in context: NSManagedObjectContext, _ origin: ObjectOrigin
    ) {
        self.init(
            constraint: conflict.constraint, database: nil,
            databaseSnapshot: conflict.databaseSnapshot.map { peer.values(of: $0, origin) },
            conflicting: objects, conflictingSnapshots: objects.map { $0.storedValues(forKeys: nil) })
        let id = NSManagedObjectID(entity: peer.compiledEntity, key: row.key, origin: origin)
        unused = (id, { [weak context] in context?.object(for: row, origin: origin, hint: nil) })
    }

    /// A description with the constraint and the objects.
    open override var description: String {
        let database = (database?.objectID ?? unused?.id).map { "\($0)" } ?? "none"
        let objects = conflictingObjects.map { "\($0.objectID)" }.joined(separator: ", ")
        return
            "NSConstraintConflict for (\(constraint.joined(separator: ", "))): database: \(database), conflicting objects: \(objects)"
    }
}
