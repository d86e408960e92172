#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormStore

/// The environment of a store's migration: the working copy, and the replacement of the store.
struct MigrationFrame {
    private let replacement: StoreReplacement

    /// - Parameters:
    ///   - folder: Not used: copies are created beside the store, so that one of them can replace it atomically.
    ///   - steps: The number of steps, for which there must be enough disk space.
    init(of url: URL, timeout: TimeInterval, in folder: URL?, steps: Int) throws {
        replacement = try StoreReplacement(of: url, timeout: timeout, steps: steps)
    }

    /// Removes the files that an interrupted migration left beside a store that no longer needs a migration.
    static func removeRemains(beside url: URL) { StoreMigration.removeRemains(beside: StoreFiles(url: url)) }

    /// Returns the store's metadata, which identify its version. The store is locked, so that they no longer change.
    func metadata() throws -> [String: Any] { try replacement.metadata() }

    func infer(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, progress: @escaping (Double) throws -> Void
    ) throws {
        try replacement.infer(from: old, to: new, progress: progress)
    }

    func migrate(
        by mapping: NSMappingModel, with manager: NSMigrationManager, progress: @escaping (Double) throws -> Void
    ) throws {
        manager.watch = progress
        defer { manager.watch = nil }
        try replacement.make(
            as: manager.destinationModel.compiled(),
            checkCancellation: { try progress(Double(manager.migrationProgress)) }
        ) {
            present, new in
            try manager.migrateStore(
                from: present, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: new,
                destinationType: NSSQLiteStoreType, destinationOptions: nil)
        }
    }

    func finish(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, last: () throws -> Void
    ) throws {
        try replacement.finish(from: old.compiled(), to: new.compiled(), last: last)
    }
}
#endif
