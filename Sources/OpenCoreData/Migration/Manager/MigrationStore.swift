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
    ///
    /// - Throws: A ``CoreDataError`` if the store cannot be opened, or is mirrored to CloudKit and the options do not allow
    ///   writing mirrored stores.
    func openForReading() throws -> NSPersistentStoreCoordinator {
        try checkType()
        var options = options
        options[NSReadOnlyPersistentStoreOption] = true
        // A read-only store cannot start a history.
        options[NSPersistentHistoryTrackingKey] = nil
        let coordinator = try open(options)
        let store = coordinator.persistentStores.first
        guard (store?.objectStore as? SQLiteStore)?.isMirrored ?? false,
            options[SwormWritesMirroredStoresOption] as? Bool != true
        else { return coordinator }
        if let store { try? coordinator.remove(store) }
        throw CoreDataError(
            NSMigrationError,
            "The store '\(url.path)' is mirrored to CloudKit, so it was not migrated by a manager: the new store would have neither its history nor its records, and an app that mirrors it would upload each object a second time. Let the coordinator migrate the store, by an inferred mapping or by stages. If the new store is not meant to be mirrored, set \(SwormWritesMirroredStoresOption) in the options of the old store."
        )
    }

    /// Creates the new store.
    ///
    /// - Throws: A ``CoreDataError`` if the file already exists, or the store cannot be created.
    func make() throws -> NSPersistentStoreCoordinator {
        try checkType()
        guard FileStamp(path: StoreFiles(url: url).main) == nil else {
            if let table = (try? StoreInspector(url: url))?.mirroringTable {
                throw CoreDataError(
                    NSMigrationError,
                    "Cannot migrate to '\(url.path)': there is a store that is mirrored to CloudKit (it has the table \(table)). Changes that it has not uploaded would be lost, and its records would no longer be those of its objects. Choose another location for the new store."
                )
            }
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
        guard type == NSSQLiteStoreType, !StoreFiles.isFileless(url) else {
            throw CoreDataError(
                NSPersistentStoreInvalidTypeError,
                "Cannot migrate a store of the type '\(type)' at '\(url.path)': only stores of NSSQLiteStoreType in files can be migrated."
            )
        }
    }
}
