import Foundation
@testable import OpenCoreData
import Sworm

/// How a store of a scenario is opened.
struct CrashStore: Sendable {
    enum Journal: String, CaseIterable, Sendable { case wal = "WAL", delete = "DELETE", truncate = "TRUNCATE" }
    enum Synchronous: String, CaseIterable, Sendable { case normal = "NORMAL", full = "FULL" }

    var journal = Journal.wal
    var synchronous = Synchronous.normal

    /// Opens a store in a coordinator.
    ///
    /// - Parameters:
    ///   - disk: The disk; nil for the ordinary one.
    ///   - stages: The stages of a migration; nil for one that is inferred.
    func coordinator(
        at url: URL, _ model: CrashModel, disk: StoreDisk? = nil, stages: NSStagedMigrationManager? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.model)
        var options: [String: Any] = [
            NSSQLitePragmasOption: [
                "journal_mode": journal.rawValue, "synchronous": synchronous.rawValue, "cache_size": "-512",
            ],
            NSPersistentStoreTimeoutOption: NSNumber(value: 10),
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        if let disk { options[SwormDiskOption] = disk }
        if let stages { options[NSPersistentStoreStagedMigrationManagerOptionKey] = stages }
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    static func container(_ coordinator: NSPersistentStoreCoordinator) -> PersistentContainer {
        PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.retainsRegisteredObjects = true
            return context
        })
    }

    static func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// From the first version to the third, where a handler changes the files of some objects.
    static func stages(_ change: @escaping @Sendable (NSManagedObject) -> Void) -> NSStagedMigrationManager {
        let stage = NSCustomMigrationStage(
            migratingFrom: CrashModel.first.reference, to: CrashModel.withOtherFiles.reference)
        stage.didMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { return }
            try context.performAndWait {
                for item in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")) { change(item) }
                try context.save()
            }
        }
        return NSStagedMigrationManager([stage])
    }
}

/// A folder in memory, if there is one, that is removed in the end.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        url = parent.appendingPathComponent("sworm-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func url(_ name: String) -> URL { url.appendingPathComponent(name) }
}
