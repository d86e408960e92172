import Foundation
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Migrates an existing store that was written with another model than the coordinator's: through the stages of the
    /// manager in the options, or else by an inferred mapping.
    ///
    /// The source model is read from the store itself if no stage has it.
    ///
    /// - Parameter coordinatorOptions: The coordinator's options, which `options` was created from.
    func migrate(
        storeAt url: URL, of kind: StoreKind, options: StoreOptions, coordinatorOptions: [AnyHashable: Any] = [:]
    ) throws {
        // A model that was inferred from a store is for that store alone.
        guard compiledModel.storeHashes == nil else { return }
        guard let hashes = try kind.outdatedVersion(url, compiledModel, options) else { return }
        let reporter = MigrationReporter()
        if let stages = coordinatorOptions[NSPersistentStoreStagedMigrationManagerOptionKey],
            let manager = stages as? NSStagedMigrationManager
        {
            try StagedMigration(
                manager: manager, url: url, destination: managedObjectModel, options: options,
                coordinatorOptions: coordinatorOptions
            ).run(from: hashes) { try reporter?.tell($0) }
            reporter?.end()
            return
        }
        guard options.infersMapping else {
            throw CoreDataError(
                NSMigrationMissingMappingModelError,
                "The store '\(StoreFiles(url: url).main)' was written with another model, and there is no mapping model for the migration. To infer one, set \(NSInferMappingModelAutomaticallyOption)."
            )
        }
        let source = try Self.storedModel(at: url)
        let mapping = try ModelMapping.inferred(from: source, to: managedObjectModel)
        try kind.migrate(
            StoreKind.Migration(
                of: url, from: source.compiled(), to: MigrationTarget(managedObjectModel), mapping: mapping,
                options: options
            ) { try reporter?.tell($0) })
        reporter?.end()
    }

    /// Returns the model that a store was written with, from the copy in the store.
    static func storedModel(at url: URL) throws -> NSManagedObjectModel {
        let stored = try StoredModel(ofStoreAt: url)
        guard stored.source == .cache else {
            throw CoreDataError(
                NSMigrationMissingSourceModelError,
                "The store '\(StoreFiles(url: url).main)' was written with another model, and cannot be migrated without that model. \(stored.notes.first ?? "")"
            )
        }
        return stored.model
    }
}
