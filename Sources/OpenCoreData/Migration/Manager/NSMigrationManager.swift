public import Foundation
import SwormStore
import SwormPredicates

/// A manager that migrates a store to a new model object by object, as specified by a mapping model and its policies.
///
/// The old store is only read. The new store is created, and is removed again if an error occurs. Objects are processed
/// in batches, and all of them are plain `NSManagedObject`s, because an application has the classes of one version at
/// most.
///
/// A manager migrates on the thread that calls it. Other threads may only use its progress and cancellation.
open class NSMigrationManager: NSObject, @unchecked Sendable {
    // A lock protects the progress and the cancellation, which other threads may use. All other state is only accessed
    // on the migrating thread. Hence the unchecked conformance.

    /// The model of the old store.
    public let sourceModel: NSManagedObjectModel
    /// The model of the new store.
    public let destinationModel: NSManagedObjectModel
    /// The current mapping model.
    open internal(set) var mappingModel: NSMappingModel!
    /// The context of the old objects. It is never saved.
    public final let sourceContext: NSManagedObjectContext
    /// The context of the new objects. The manager saves it.
    public final let destinationContext: NSManagedObjectContext
    /// The current entity mapping.
    open internal(set) var currentEntityMapping: NSEntityMapping!
    /// Has no effect: a migration is always made object by object, whatever the type of the store.
    open var usesStoreSpecificMigrationManager = true
    /// Custom information of the policies.
    open var userInfo: [AnyHashable: Any]?

    final var associations = MigrationAssociations()
    /// The associations since the last batch, whose new objects do not have keys yet.
    final var pendingAssociations: [(source: NSManagedObject, destination: NSManagedObject, mapping: String)] = []
    /// The new objects that already have keys, but may not be saved yet.
    final var settledObjects: [RowID: NSManagedObject] = [:]
    /// The results of ``isSetByInverse(_:in:)``, by the names of the mapping and of the property.
    final var setByInverse: [String: Bool] = [:]
    /// The numbers of new objects by entity. They are counted after all objects were created.
    final var counts: [String: Int] = [:]
    /// The external files with large values that both stores share, so that they are not copied.
    final let lentFiles = SharedExternalFiles()
    /// The bytes of the values that were set since the last batch.
    final var pendingBytes = 0

    private struct State {
        var progress: Float = 0
        var cancellation: (any Error)?
        var isRunning = false
    }

    private let state = Locked(State())
    /// The progress that was current when the migration started.
    private var reporter: MigrationReporter?
    /// A closure that is called with the completed fraction before each object. An error that it throws cancels the
    /// migration.
    package final var watch: ((_ fraction: Double) throws -> Void)?

    /// Creates a manager.
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

    /// The completed fraction of the work, from 0 to 1. May be read on any thread.
    open var migrationProgress: Float { state.withLock { $0.progress } }

    /// Cancels the migration before the next object. The migration throws the given error. May be called on any thread.
    ///
    /// - Parameter error: The error to throw.
    open func cancelMigrationWithError(_ error: any Error) { state.withLock { $0.cancellation = error } }

    /// Discards the state of the last migration.
    open func reset() {
        sourceContext.resetObjects()
        destinationContext.resetObjects()
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
    /// The migration reports to Foundation's `Progress` that is current on this thread. If that is cancelled, the
    /// migration throws `CocoaError.userCancelled`.
    ///
    /// - Parameters:
    ///   - sourceURL: The URL of the old store, which is not changed.
    ///   - sStoreType: `NSSQLiteStoreType`.
    ///   - sOptions: The options to open the old store with.
    ///   - mappings: The mapping model; nil to infer it.
    ///   - dURL: The URL of the new store. The file must not exist yet.
    ///   - dStoreType: `NSSQLiteStoreType`.
    ///   - dOptions: The options to create the new store with.
    /// - Throws: An error if no mapping can be inferred or the mapping does not match the models, the errors of
    ///   policies, an error with the code `NSMigrationError` that lists the values that are not valid, or the errors of
    ///   the stores.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        let source = MigrationStore(
            url: sourceURL, type: sStoreType, options: sOptions ?? [:], model: sourceModel, lentFiles: lentFiles)
        let destination = MigrationStore(
            url: dURL, type: dStoreType, options: dOptions ?? [:], model: destinationModel, lentFiles: lentFiles)
        try throwingCocoaErrors { try migrate(source, to: destination, with: mappings) }
    }

    private func migrate(
        _ source: MigrationStore, to destination: MigrationStore, with mappings: NSMappingModel?
    ) throws {
        try state.withLock { state in
            guard !state.isRunning else {
                throw CoreDataError(
                    NSMigrationError,
                    "The manager is already migrating a store. Create another manager for another store.")
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
        try run(mapping, from: source, to: destination)
        note(progress: 1)
        reporter?.end()
    }

    // MARK: For policies

    /// Associates a new object with the old object that it was created from.
    ///
    /// - Parameters:
    ///   - sourceInstance: The old object.
    ///   - destinationInstance: The new object.
    ///   - entityMapping: The mapping that created the new object.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        pendingAssociations.append((sourceInstance, destinationInstance, entityMapping.name ?? ""))
    }

    /// Returns the new objects that a mapping created from old objects.
    ///
    /// - Parameters:
    ///   - mappingName: The name of the entity mapping.
    ///   - sourceInstances: The old objects; nil for all objects of the mapping.
    open func destinationInstances(forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?)
        -> [NSManagedObject]
    {
        guard let sourceInstances else {
            settle()
            return newObjects(Array(associations.destinations(mapping: mappingName)))
        }
        return destinationInstances(of: sourceInstances, mapping: mappingName)
    }

    /// Returns the old objects that a mapping created new objects from.
    ///
    /// - Parameters:
    ///   - mappingName: The name of the entity mapping.
    ///   - destinationInstances: The new objects; nil for all objects of the mapping.
    open func sourceInstances(forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?)
        -> [NSManagedObject]
    {
        settle()
        let destinations =
            destinationInstances?.map(\.objectID.row) ?? Array(associations.destinations(mapping: mappingName))
        return objects(destinations.flatMap { associations.sources(of: $0, mapping: mappingName) }, in: sourceContext)
    }

    /// Returns the entity of a mapping in the old model.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// Returns the entity of a mapping in the new model.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    // MARK: For the run

    final func note(progress: Float) { state.withLock { $0.progress = progress } }

    final func note(bytes: Int) { pendingBytes += bytes }

    final func throwCancellation() throws {
        let (progress, error) = state.withLock { ($0.progress, $0.cancellation) }
        if let error { throw error }
        try reporter?.report(Double(progress))
        try watch?(Double(progress))
    }
}
