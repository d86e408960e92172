public import Foundation

/// A stage of a staged migration: an ``NSLightweightMigrationStage`` or an ``NSCustomMigrationStage``.
open class NSMigrationStage: NSObject, @unchecked Sendable {
    // A stage must not be changed after it was passed to a manager. Hence the unchecked conformance.

    /// The name of the stage in messages.
    open var label: String?
}

/// A stage that migrates stores of given versions with an inferred mapping.
///
/// It migrates them to the current model of the next custom stage, or to the model of the coordinator if no custom
/// stage follows.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
    // The checksums never change; all other state belongs to the superclass. Hence the unchecked conformance.

    /// The checksums of the versions, the oldest first.
    public let versionChecksums: [String]

    /// Creates a stage.
    ///
    /// - Parameter versionChecksums: The checksums of the versions that the stage migrates from, the oldest first. The
    ///   version that it migrates to may be the last of them. A stage that names only this version migrates from the version
    ///   that the stage before it migrates to; the first stage, from any version that the other stages do not know.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// A stage that migrates stores from one version to the next with an inferred mapping, and calls handlers before and
/// after the migration.
///
/// A change that cannot be inferred requires several stages: an intermediate version has both the old and the new
/// properties, a handler sets the new ones, and a later version removes the old ones.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
    // The handlers must be set before the stage is passed to a manager. Hence the unchecked conformance.

    /// The version that the stage migrates from.
    public let currentModel: NSManagedObjectModelReference
    /// The version that the stage migrates to.
    public let nextModel: NSManagedObjectModelReference

    /// The handler that is called before the migration. The manager's `container` has the store, open with the current
    /// model.
    ///
    /// The handler must save its changes. If it throws an error, the entire migration is cancelled, and the store is
    /// unchanged.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// The handler that is called after the migration. The manager's `container` has the store, open with the next
    /// model.
    ///
    /// The handler must save its changes. If it throws an error, the entire migration is cancelled, and the store is
    /// unchanged.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Creates a stage.
    ///
    /// - Parameters:
    ///   - currentModel: The version that the stage migrates from.
    ///   - nextModel: The version that the stage migrates to.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
