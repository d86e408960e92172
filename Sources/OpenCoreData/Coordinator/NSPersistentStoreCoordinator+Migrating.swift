import Foundation
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Migrates a store that is there if it was written with another model than the coordinator's: through the stages of the
    /// option's manager, or else by a mapping that is inferred.
    ///
    /// The model that it was written with is found in the store itself, where no stage tells it.
    ///
    /// - Parameter coordinatorOptions: What the options were made of.
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

    /// The model that a store was written with, which it has a copy of.
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
