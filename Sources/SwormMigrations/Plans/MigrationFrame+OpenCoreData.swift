#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormStore

/// Where a store is migrated: the copy that is worked on, and how it takes the store's place.
struct MigrationFrame {
    private let replacement: StoreReplacement

    /// - Parameters:
    ///   - folder: Not used: copies are made beside the store, so that one of them can take its place at once.
    ///   - steps: How many steps there are to be, for which there must be room.
    init(of url: URL, timeout: TimeInterval, in folder: URL?, steps: Int) throws {
        replacement = try StoreReplacement(of: url, timeout: timeout, steps: steps)
    }

    /// Removes what a migration that was cut off has left beside a store that needs none any more.
    static func removeRemains(beside url: URL) { StoreMigration.removeRemains(beside: StoreFiles(url: url)) }

    /// What the store says of its version, now that nobody else can change it.
    func metadata() throws -> [String: Any] { try replacement.metadata() }

    func infer(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, tell: @escaping (Double) throws -> Void
    ) throws {
        try replacement.infer(from: old, to: new, progress: tell)
    }

    func migrate(
        by mapping: NSMappingModel, with manager: NSMigrationManager, tell: @escaping (Double) throws -> Void
    ) throws {
        manager.watch = tell
        defer { manager.watch = nil }
        try replacement.make(
            as: manager.destinationModel.compiled(), tell: { try tell(Double(manager.migrationProgress)) }
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
