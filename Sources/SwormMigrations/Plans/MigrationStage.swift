public import Sworm

/// What leads from one version of a model to the next.
public struct MigrationStage: Sendable {
    enum Kind: Sendable {
        case inferred
        case custom([EntityChange], finally: (@Sendable (StageStores) throws -> Void)?)
        case mapping(@Sendable (NSManagedObjectModel, NSManagedObjectModel) throws -> NSMappingModel)
    }

    let kind: Kind
    /// Whether stores of the old version may not do without it.
    var isRequired = true

    /// The mapping is inferred from the two models: by names, and by what says that it was renamed.
    public static let inferred = MigrationStage(kind: .inferred, isRequired: false)

    /// Objects are carried over one by one, and closures see old and new ones together.
    ///
    /// What has the same name in both versions, or says that it was renamed, is carried over by itself: attributes whose type
    /// is the same or has room for the old values, and relations. So a change says only what is otherwise. Entities that are
    /// in the old version only go with their objects. A relation that led to many and leads to one keeps the first of its links,
    /// unless the change has a closure for relations.
    ///
    /// A store tells its version by the hashes of its entities, so the two versions must not be the same to stores, or the stage
    /// would never run: such a plan is refused. Where only values change, give an attribute of the new version a hash modifier.
    ///
    /// - Parameters:
    ///   - changes: What becomes of the objects of an entity.
    ///   - finally: Called when all objects are there with their relations, for what concerns the whole store.
    public static func custom(
        _ changes: EntityChange..., finally: (@Sendable (StageStores) throws -> Void)? = nil
    ) -> MigrationStage {
        MigrationStage(kind: .custom(changes, finally: finally))
    }

    /// The objects are carried over as a mapping model and its policies say.
    ///
    /// As for ``custom(_:finally:)``, the two versions must not be the same to stores.
    ///
    /// - Parameter make: Makes the mapping for the models of the old and of the new version.
    public static func mapping(
        _ make: @escaping @Sendable (_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) throws -> NSMappingModel
    ) -> MigrationStage {
        MigrationStage(kind: .mapping(make))
    }

    /// Makes the next version of the store in a frame.
    func run(
        in frame: MigrationFrame, from old: NSManagedObjectModel, to new: NSManagedObjectModel,
        tell: @escaping (Double) throws -> Void
    ) throws {
        switch kind {
        case .inferred: try frame.infer(from: old, to: new, tell: tell)
        case .mapping(let make):
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            let mapping = try make(old, new)
            mapping.findExternalBinaryDataPolicy()
            try frame.migrate(by: mapping, with: manager, tell: tell)
        case .custom(let changes, let finally):
            let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
            let mapping = try StageMapping(from: old, to: new, changes: changes, hasEnd: finally != nil)
            let run = StageRun(manager, mapping, finally: finally, tell: tell)
            manager.userInfo = [StageRun.key: run]
            defer { manager.userInfo = nil }
            try frame.migrate(by: mapping.model, with: manager, tell: tell)
        }
    }
}
