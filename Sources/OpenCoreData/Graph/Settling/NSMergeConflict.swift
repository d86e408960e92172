public import Foundation
import SwormStore

/// A conflict between an object of a context and its row, which was changed or deleted in the store after the context
/// had read it.
///
/// The error of a save, `CocoaError.managedObjectMerge`, contains the conflicts under
/// `NSPersistentStoreSaveConflictsErrorKey`.
///
/// A snapshot has the values of all stored attributes and the ids of to-one destinations, with `NSNull` for nil. The
/// content of external data that was not read is missing.
open class NSMergeConflict: NSObject {
    /// The object that the save could not write.
    public let sourceObject: NSManagedObject
    /// The values of the object, with its unsaved changes; nil if it is deleted.
    public let objectSnapshot: [String: Any]?
    /// The values that the context had read; nil if it had not read the row.
    public let cachedSnapshot: [String: Any]?
    /// The values in the store; nil if the row was deleted.
    public let persistedSnapshot: [String: Any]?
    /// The version of the row in the store; 0 if it was deleted.
    public let newVersionNumber: Int
    /// The version of the row that the context had read.
    public let oldVersionNumber: Int
    /// The settling of the running save that has the conflict.
    final var resolution: ConflictResolution?

    /// Creates a conflict.
    ///
    /// - Parameters:
    ///   - srcObject: The object.
    ///   - newvers: The version of the row in the store; 0 if it was deleted.
    ///   - oldvers: The version of the row that the context had read.
    ///   - cachesnap: The values that the context had read.
    ///   - persnap: The values in the store.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        objectSnapshot = srcObject.isDeleted ? nil : srcObject.presentSnapshot
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        super.init()
    }

    convenience init(_ conflict: MergeConflict, of object: NSManagedObject, _ origin: ObjectOrigin) {
        self.init(
            source: object, newVersion: Int(truncatingIfNeeded: conflict.newVersionNumber),
            oldVersion: Int(truncatingIfNeeded: conflict.oldVersionNumber),
            cachedSnapshot: conflict.cachedSnapshot.map { object.values(of: $0, origin) },
            persistedSnapshot: conflict.persistedSnapshot.map { object.values(of: $0, origin) })
    }

    /// A description with the object and both versions.
    open override var description: String {
        "NSMergeConflict for \(sourceObject.objectID): version \(oldVersionNumber) was read, version \(newVersionNumber) is in the store"
    }
}
