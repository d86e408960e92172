import Foundation
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Migrates an existing store to the coordinator's model if it was written with a different one.
    ///
    /// The migration uses the staged migration manager of the options, or else an inferred mapping. The source model is
    /// read from the store itself if no stage contains it.
    ///
    /// - Parameter coordinatorOptions: The coordinator's options, which `options` was created from.
    func migrate(
        storeAt url: URL, of kind: StoreKind, options: StoreOptions, coordinatorOptions: [AnyHashable: Any] = [:]
    ) throws {
        // A model that was inferred from a store is only valid for that store.
        guard compiledModel.storeHashes == nil else { return }
        guard let hashes = try kind.outdatedVersion(url, compiledModel, options) else { return }
        let reporter = MigrationReporter()
        if let stages = coordinatorOptions[NSPersistentStoreStagedMigrationManagerOptionKey],
            let manager = stages as? NSStagedMigrationManager
        {
            try StagedMigration(
                manager: manager, url: url, destination: managedObjectModel, options: options,
                coordinatorOptions: coordinatorOptions
            ).run(from: hashes) { try reporter?.report($0) }
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
            ) { try reporter?.report($0) })
        reporter?.end()
    }

    /// Returns the model that a store was written with, as cached in the store.
    ///
    /// - Throws: A ``CoreDataError`` if the store does not contain its model, or the model cannot be read.
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
