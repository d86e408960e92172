#if canImport(CoreData)
import CoreData
import Foundation

/// The environment of a store's migration: the working copy, and the replacement of the store.
final class MigrationFrame {
    private let url: URL
    private let folder: URL
    /// The result of the last step; the store itself before the first step.
    private var current: URL
    private var count = 0

    /// - Parameters:
    ///   - folder: The folder for copies; nil for the folder for temporary files.
    ///   - steps: Not used.
    init(of url: URL, timeout: TimeInterval, in folder: URL?, steps: Int) throws {
        self.url = url
        current = url
        self.folder = (folder ?? FileManager.default.temporaryDirectory).appendingPathComponent(
            "sworm-migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Does nothing: copies are created in the folder for temporary files, which the system empties.
    static func removeRemains(beside url: URL) {}

    /// Returns the store's metadata, which identify its version.
    func metadata() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url, options: nil)
    }

    func infer(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, progress: @escaping (Double) throws -> Void
    ) throws {
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        try migrate(by: mapping, with: NSMigrationManager(sourceModel: old, destinationModel: new), progress: progress)
    }

    func migrate(
        by mapping: NSMappingModel, with manager: NSMigrationManager, progress: @escaping (Double) throws -> Void
    ) throws {
        #if canImport(Darwin)
        // The observer is called on the thread that migrates, which is this one.
        nonisolated(unsafe) let report = progress
        let observation = manager.observe(\.migrationProgress) { manager, _ in
            do { try report(Double(manager.migrationProgress)) } catch { manager.cancelMigrationWithError(error) }
        }
        defer { observation.invalidate() }
        #endif
        count += 1
        let next = folder.appendingPathComponent("step\(count).sqlite")
        try manager.migrateStore(
            from: current, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: next,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        current = next
    }

    func finish(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, last: () throws -> Void
    ) throws {
        try last()
        try NSPersistentStoreCoordinator(managedObjectModel: new).replacePersistentStore(
            at: url, destinationOptions: nil, withPersistentStoreFrom: current, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
    }
}
#endif
