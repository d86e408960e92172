public import Foundation

/// A step of a staged migration: one of ``NSLightweightMigrationStage`` and ``NSCustomMigrationStage``.
open class NSMigrationStage: NSObject, @unchecked Sendable {
    // A stage is set up before it is given to a manager, and not changed after that, by the rule of the class. Hence the
    // unchecked conformance.

    /// The name of the stage in messages.
    open var label: String?
}

/// Migrates stores of the given versions by inferred mappings.
///
/// It leads to the version that the next custom stage begins with, or at the end to the coordinator's.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
    // The checksums never change; the rest is the superclass's. Hence the unchecked conformance.

    /// The checksums of the versions, the oldest first.
    public let versionChecksums: [String]

    /// Makes a stage.
    ///
    /// - Parameter versionChecksums: The checksums of the versions that it leads on from, the oldest first.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// Leads from one version to the next by a mapping that is inferred, with code that runs before and after.
///
/// A change that cannot be inferred takes several stages: an intermediate version has both the old and the new form, code
/// fills the new one, and a later version drops the old one.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
    // The handlers are set before the stage is given to a manager, by the rule of the superclass. Hence the unchecked
    // conformance.

    /// The version that the stage begins with.
    public let currentModel: NSManagedObjectModelReference
    /// The version that it leads to.
    public let nextModel: NSManagedObjectModelReference

    /// Called before the stage, with the store open in its current model: in the manager's `container`.
    ///
    /// The handler saves what it has changed. An error that it throws cancels the whole migration, and the store is unchanged.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Called after the stage, with the store open in its next model: in the manager's `container`.
    ///
    /// The handler saves what it has changed. An error that it throws cancels the whole migration, and the store is unchanged.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Makes a stage.
    ///
    /// - Parameters:
    ///   - currentModel: The version that it begins with.
    ///   - nextModel: The version that it leads to.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
