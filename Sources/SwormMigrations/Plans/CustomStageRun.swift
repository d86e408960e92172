import Sworm

/// A run of a custom stage, which its policies find through the manager.
final class CustomStageRun {
    static let key = "SwormStageRun"

    let manager: NSMigrationManager
    private let mapping: CustomStageMapping
    private let finally: (@Sendable (CustomStageStores) throws -> Void)?
    private let progress: (Double) throws -> Void
    // The manager's contexts exist from the start, but have their models only during the migration.
    private lazy var old = BorrowedContext(manager.sourceContext)
    private lazy var new = BorrowedContext(manager.destinationContext)

    init(
        _ manager: NSMigrationManager, mapping: CustomStageMapping,
        finally: (@Sendable (CustomStageStores) throws -> Void)?,
        progress: @escaping (Double) throws -> Void
    ) {
        self.manager = manager
        self.mapping = mapping
        self.finally = finally
        self.progress = progress
    }

    static func of(_ manager: NSMigrationManager) -> CustomStageRun? { manager.userInfo?[key] as? CustomStageRun }

    func change(of entity: NSEntityMapping) -> EntityChange? { entity.name.flatMap { mapping.changes[$0] } }

    func links(of entity: NSEntityMapping) -> CustomStageLinks? { entity.name.flatMap { mapping.links[$0] } }

    /// Runs work with both stores.
    func lend<R>(_ body: (CustomStageStores) throws -> R) throws -> R {
        try old.lend { old in
            try new.lend { new in
                try body(CustomStageStores(old: old, new: new, manager: manager, mapping: manager.currentEntityMapping))
            }
        }
    }

    func reportProgress() throws { try progress(Double(manager.migrationProgress)) }

    /// Ends a mapping, when the relations of its objects are set.
    func end(_ entity: NSEntityMapping) throws {
        guard let finally, entity.name == mapping.last else { return }
        try lend(finally)
    }
}

/// A migration policy that carries out the changes of a custom stage.
final class StagePolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource old: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let run = CustomStageRun.of(manager), let change = run.change(of: mapping) else {
            return try super.createDestinationInstances(forSource: old, in: mapping, manager: manager)
        }
        try run.reportProgress()
        switch change.work {
        case .making(let make):
            for object in try make(old, run) {
                manager.associate(sourceInstance: old, withDestinationInstance: object, for: mapping)
            }
        case .changing(let change):
            try super.createDestinationInstances(forSource: old, in: mapping, manager: manager)
            guard let name = mapping.name else { return }
            for new in manager.destinationInstances(forEntityMappingName: name, sourceInstances: [old]) {
                try change(old, new, run)
            }
        }
    }

    override func createRelationships(
        forDestination new: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        // Objects that closures inserted in addition may belong to other entities.
        guard new.entity.name == mapping.destinationEntityName else { return }
        try super.createRelationships(forDestination: new, in: mapping, manager: manager)
        guard let run = CustomStageRun.of(manager), let name = mapping.name else { return }
        let (links, relations) = (run.links(of: mapping), run.change(of: mapping)?.relations)
        guard links != nil || relations != nil else { return }
        let sources = manager.sourceInstances(forEntityMappingName: name, destinationInstances: [new])
        links?.set(new, from: sources, using: manager)
        guard let relations else { return }
        for old in sources { try relations(old, new, run) }
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try super.endRelationshipCreation(forMapping: mapping, manager: manager)
        try CustomStageRun.of(manager)?.end(mapping)
    }
}
