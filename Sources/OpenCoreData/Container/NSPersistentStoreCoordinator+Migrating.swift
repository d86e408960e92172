import Foundation

extension NSPersistentStoreCoordinator {
    /// Migrates a store that is there if it was written with another model than the coordinator's.
    ///
    /// The model that it was written with is found in the store itself.
    func migrate(storeAt url: URL, options: StoreOptions) throws {
        let files = StoreFiles(url: url)
        // A model that was inferred from a store is for that store alone.
        guard compiledModel.storeHashes == nil else { return }
        let inspection = try SQLiteStore.inspect(
            files, largestCopy: options.largestInspectionCopy, options: options
        ).inspection
        let hashes = inspection.metadata.versionHashes
        // A store that says nothing of its model is refused when it is opened.
        guard !hashes.isEmpty else { return }
        guard hashes != compiledModel.versionHashes else { return StoreMigration.removeRemains(beside: files) }
        try StoreMigration.refuseMirrored(inspection, files, options)
        guard options.infersMapping else {
            throw CoreDataError(
                NSMigrationMissingMappingModelError,
                "The store “\(files.main)” was written with another model, and there is no mapping from that one. Let it be inferred, by \(NSInferMappingModelAutomaticallyOption)."
            )
        }
        let stored = try StoredModel(ofStoreAt: url)
        guard stored.source == .cache else {
            throw CoreDataError(
                NSMigrationMissingSourceModelError,
                "The store “\(files.main)” was written with another model, and cannot be migrated without that one. \(stored.notes.first ?? "")"
            )
        }
        try StoreMigration(inferring: url, from: stored.model, to: managedObjectModel, options: options).run()
    }
}
