public import Foundation
import SwormStore
import SwormPredicates

/// Migrates a store to a new model object by object, as a mapping model and its policies say.
///
/// The old store is only read. The new one is made anew, and removed again when something goes wrong. Objects are worked on
/// in batches, and all of them are plain `NSManagedObject`s: an application has the classes of one version at most.
///
/// A manager migrates on the thread that calls it. Only its progress and its cancellation are for other threads.
open class NSMigrationManager: NSObject, @unchecked Sendable {
    // What other threads may use, progress and cancellation, is guarded; all else is for the migrating thread. Hence the
    // unchecked conformance.

    /// The model of the old store.
    public let sourceModel: NSManagedObjectModel
    /// The model of the new store.
    public let destinationModel: NSManagedObjectModel
    /// The mapping that is at work.
    open internal(set) var mappingModel: NSMappingModel!
    /// The context of the old objects. What is changed in it goes nowhere.
    public final let sourceContext: NSManagedObjectContext
    /// The context of the new objects. The manager saves it.
    public final let destinationContext: NSManagedObjectContext
    /// The entity mapping that is at work.
    open internal(set) var currentEntityMapping: NSEntityMapping!
    /// What policies want to keep with the manager.
    open var userInfo: [AnyHashable: Any]?

    final var associations = MigrationAssociations()
    /// What belongs together since the last batch, whose new objects have no keys yet.
    final var pendingAssociations: [(source: NSManagedObject, destination: NSManagedObject, mapping: String)] = []
    /// The new objects that have got their keys, and may not be saved yet.
    final var settledObjects: [RowID: NSManagedObject] = [:]
    final var setByInverse: [String: Bool] = [:]
    /// The new objects of entities, counted once all are there.
    final var counts: [String: Int] = [:]
    /// By which the files of large values go from the old store to the new one.
    final let lentFiles = LentFiles()
    /// The bytes of the values that were set since the last batch.
    final var pendingBytes = 0

    private struct State {
        var progress: Float = 0
        var cancellation: (any Error)?
        var isRunning = false
    }

    private let state = Locked(State())
    /// The progress that was current when the migration began.
    private var reporter: MigrationReporter?
    /// Told how much is done, before each object. What it throws cancels the migration.
    package final var watch: ((_ fraction: Double) throws -> Void)?

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - sourceModel: The model that the old store was written with.
    ///   - destinationModel: The model of the new store.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        sourceContext = NSManagedObjectContext(.privateQueue)
        destinationContext = NSManagedObjectContext(.privateQueue)
        super.init()
        sourceContext.makesPlainObjects = true
        destinationContext.makesPlainObjects = true
    }

    /// How much of the work is done, from 0 to 1. May be asked for on any thread.
    open var migrationProgress: Float { state.withLock { $0.progress } }

    /// Stops the migration before the next object, and has it throw an error. May be called on any thread.
    ///
    /// - Parameter error: The error to throw.
    open func cancelMigrationWithError(_ error: any Error) { state.withLock { $0.cancellation = error } }

    /// Lets go of what the last migration has left behind.
    open func reset() {
        sourceContext.reset()
        destinationContext.reset()
        associations = MigrationAssociations()
        lentFiles.forget()
        pendingAssociations = []
        settledObjects = [:]
        setByInverse = [:]
        counts = [:]
        pendingBytes = 0
        currentEntityMapping = nil
    }

    /// Migrates a store.
    ///
    /// This is a part of Foundation's `Progress` that is current on this thread. Cancelling that throws
    /// `CocoaError.userCancelled`.
    ///
    /// - Parameters:
    ///   - sourceURL: The place of the old store. Nothing there is changed.
    ///   - sStoreType: `NSSQLiteStoreType`.
    ///   - sOptions: The options to open the old store with.
    ///   - mappings: What becomes what; nil to infer it.
    ///   - dURL: The place of the new store. There must be nothing yet.
    ///   - dStoreType: `NSSQLiteStoreType`.
    ///   - dOptions: The options to make the new store with.
    /// - Throws: Why no mapping can be inferred or the mapping does not fit the models, what a policy throws, an error with
    ///   the code `NSMigrationError` that tells the values that are not valid, or the errors of the stores.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        try state.withLock { state in
            guard !state.isRunning else {
                throw CoreDataError(
                    NSMigrationError,
                    "The manager is migrating a store already. Make a second manager for a second store.")
            }
            state = State(isRunning: true)
        }
        reporter = MigrationReporter()
        defer {
            reporter = nil
            state.withLock { $0.isRunning = false }
        }
        let mapping =
            try mappings
            ?? NSMappingModel.inferredMappingModel(forSourceModel: sourceModel, destinationModel: destinationModel)
        try check(mapping)
        mappingModel = mapping
        let source = MigrationStore(
            url: sourceURL, type: sStoreType, options: sOptions ?? [:], model: sourceModel, lentFiles: lentFiles)
        let destination = MigrationStore(
            url: dURL, type: dStoreType, options: dOptions ?? [:], model: destinationModel, lentFiles: lentFiles)
        try run(mapping, from: source, to: destination)
        note(progress: 1)
        reporter?.end()
    }

    // MARK: For policies

    /// Tells that a new object is what an old one has become.
    ///
    /// - Parameters:
    ///   - sourceInstance: The old object.
    ///   - destinationInstance: The new object.
    ///   - entityMapping: The mapping by which it came about.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        pendingAssociations.append((sourceInstance, destinationInstance, entityMapping.name ?? ""))
    }

    /// What old objects have become by a mapping.
    ///
    /// - Parameters:
    ///   - mappingName: The name of the entity mapping.
    ///   - sourceInstances: The old objects; nil for all of the mapping.
    open func destinationInstances(forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?)
        -> [NSManagedObject]
    {
        guard let sourceInstances else {
            settle()
            return newObjects(Array(associations.destinations(mapping: mappingName)))
        }
        return destinationInstances(of: sourceInstances, mapping: mappingName)
    }

    /// The old objects that new ones came from by a mapping.
    ///
    /// - Parameters:
    ///   - mappingName: The name of the entity mapping.
    ///   - destinationInstances: The new objects; nil for all of the mapping.
    open func sourceInstances(forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?)
        -> [NSManagedObject]
    {
        settle()
        let destinations =
            destinationInstances?.map(\.objectID.row) ?? Array(associations.destinations(mapping: mappingName))
        return objects(destinations.flatMap { associations.sources(of: $0, mapping: mappingName) }, in: sourceContext)
    }

    /// The entity of the old model that a mapping is about.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The entity of the new model that a mapping is about.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    // MARK: For the run

    final func note(progress: Float) { state.withLock { $0.progress = progress } }

    final func note(bytes: Int) { pendingBytes += bytes }

    final func throwCancellation() throws {
        let (progress, error) = state.withLock { ($0.progress, $0.cancellation) }
        if let error { throw error }
        try reporter?.tell(Double(progress))
        try watch?(Double(progress))
    }
}
