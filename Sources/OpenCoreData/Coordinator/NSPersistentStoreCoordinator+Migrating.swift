import Foundation
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Migrates a store that is there if it was written with another model than the coordinator's: through the stages of the
    /// option's manager, or else by a mapping that is inferred.
    ///
    /// The model that it was written with is found in the store itself, where no stage tells it.
    ///
    /// - Parameter coordinatorOptions: What the options were made of.
    func migrate(storeAt url: URL, options: StoreOptions, coordinatorOptions: [AnyHashable: Any] = [:]) throws {
        let files = StoreFiles(url: url, disk: options.disk)
        // A model that was inferred from a store is for that store alone.
        guard compiledModel.storeHashes == nil else { return }
        let inspection = try SQLiteStore.inspect(
            files, largestCopy: options.largestInspectionCopy, options: options
        ).inspection
        let hashes = inspection.metadata.versionHashes
        // A store that says nothing of its model is refused when it is opened.
        guard !hashes.isEmpty else { return }
        guard hashes != compiledModel.versionHashes else {
            StoreMigration.removeRemains(beside: files)
            var options = options
            options.busyTimeout = 0
            // An index makes things quicker and nothing else, so what stands in its way now can wait for another opening.
            _ = try? MissingIndexes.make(in: files, inspection, model: compiledModel, options: options)
            return
        }
        try StoreMigration.refuseMirrored(inspection, files, options)
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
                "The store “\(files.main)” was written with another model, and there is no mapping from that one. Let it be inferred, by \(NSInferMappingModelAutomaticallyOption)."
            )
        }
        let source = try Self.storedModel(at: url)
        let mapping = try ModelMapping.inferred(from: source, to: managedObjectModel)
        try StoreMigration(of: url, from: source, to: managedObjectModel, mapping: mapping, options: options) {
            try reporter?.tell($0.fraction)
        }.run()
        reporter?.end()
    }

    /// The model that a store was written with, which it has a copy of.
    static func storedModel(at url: URL) throws -> NSManagedObjectModel {
        let stored = try StoredModel(ofStoreAt: url)
        guard stored.source == .cache else {
            throw CoreDataError(
                NSMigrationMissingSourceModelError,
                "The store “\(StoreFiles(url: url).main)” was written with another model, and cannot be migrated without that one. \(stored.notes.first ?? "")"
            )
        }
        return stored.model
    }
}
