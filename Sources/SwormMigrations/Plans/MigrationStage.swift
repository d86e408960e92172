public import Sworm

/// A stage that migrates from one version of a model to the next.
public struct MigrationStage: Sendable {
    enum Kind: Sendable {
        case inferred
        case custom([EntityChange], finally: (@Sendable (CustomStageStores) throws -> Void)?)
        case mapping(@Sendable (NSManagedObjectModel, NSManagedObjectModel) throws -> NSMappingModel)
    }

    let kind: Kind
    /// Whether stores of the old version must not skip the stage.
    package var isRequired = true

    /// A stage with a mapping that is inferred from the two models, by names and renaming identifiers.
    public static let inferred = MigrationStage(kind: .inferred, isRequired: false)

    /// Returns a stage that carries objects over one by one, with closures that receive old and new objects together.
    ///
    /// Properties with the same name in both versions, or with a renaming identifier, are carried over automatically:
    /// attributes whose type is the same or can hold all old values, and relations. A change therefore only describes
    /// the differences. Entities that exist only in the old version are deleted together with their objects. A to-many
    /// relation that becomes a to-one relation keeps the first of its links, unless the change has a closure for
    /// relations.
    ///
    /// The version of a store is identified by the hashes of its entities, so the two versions must be distinguishable
    /// to stores, or the stage would never run: such a plan is rejected. If only values change, set a hash modifier on
    /// an attribute of the new version.
    ///
    /// - Parameters:
    ///   - changes: The changes to the objects of individual entities.
    ///   - finally: A closure that is called when all objects exist with their relations, for changes that concern the
    ///     whole store.
    public static func custom(
        _ changes: EntityChange..., finally: (@Sendable (CustomStageStores) throws -> Void)? = nil
    ) -> MigrationStage {
        MigrationStage(kind: .custom(changes, finally: finally))
    }

    /// Returns a stage that carries objects over according to a mapping model and its policies.
    ///
    /// The two versions must be distinguishable to stores, as for ``custom(_:finally:)``.
    ///
    /// - Parameter make: A closure that creates the mapping for the models of the old and of the new version.
    public static func mapping(
        _ make: @escaping @Sendable (_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) throws -> NSMappingModel
    ) -> MigrationStage {
        MigrationStage(kind: .mapping(make))
    }

    /// Creates the next version of the store in a frame.
    func run(
        in frame: MigrationFrame, from old: NSManagedObjectModel, to new: NSManagedObjectModel,
        progress: @escaping (Double) throws -> Void
    ) throws {
        switch kind {
        case .inferred: try frame.infer(from: old, to: new, progress: progress)
        case .mapping(let make):
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            let mapping = try make(old, new)
            mapping.findExternalBinaryDataPolicy()
            try frame.migrate(by: mapping, with: manager, progress: progress)
        case .custom(let changes, let finally):
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            let mapping = try CustomStageMapping(from: old, to: new, changes: changes, hasEnd: finally != nil)
            let run = CustomStageRun(manager, mapping: mapping, finally: finally, progress: progress)
            manager.userInfo = [CustomStageRun.key: run]
            defer { manager.userInfo = nil }
            try frame.migrate(by: mapping.model, with: manager, progress: progress)
        }
    }
}
