import Foundation
import SwormStore

/// The source or destination of a migration: the URL of a store, and the options to open it with.
struct MigrationStore {
    let url: URL
    let type: String
    let options: [AnyHashable: Any]
    let model: NSManagedObjectModel
    /// The external files with large values that both stores share, so that they are not copied.
    let lentFiles: SharedExternalFiles

    /// Opens the old store read-only.
    func openForReading() throws -> NSPersistentStoreCoordinator {
        try checkType()
        var options = options
        options[NSReadOnlyPersistentStoreOption] = true
        // A read-only store cannot start a history.
        options[NSPersistentHistoryTrackingKey] = nil
        return try open(options)
    }

    /// Creates the new store.
    ///
    /// - Throws: A ``CoreDataError`` if the file already exists, or the store cannot be created.
    func make() throws -> NSPersistentStoreCoordinator {
        try checkType()
        guard FileStamp(path: StoreFiles(url: url).main) == nil else {
            throw CoreDataError(
                NSMigrationError,
                "Cannot migrate to '\(url.path)': the file already exists. Remove it, or choose another location for the new store."
            )
        }
        return try open(options)
    }

    private func open(_ options: [AnyHashable: Any]) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options = options
        options[SwormLentFilesOption] = lentFiles
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
        return coordinator
    }

    private func checkType() throws {
        guard type == NSSQLiteStoreType, !StoreFiles.isMemory(url) else {
            throw CoreDataError(
                NSPersistentStoreInvalidTypeError,
                "Cannot migrate a store of the type '\(type)' at '\(url.path)': only stores of NSSQLiteStoreType in files can be migrated."
            )
        }
    }
}
