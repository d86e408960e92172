public import Foundation
public import Sworm
import SwormPredicates

extension NSPersistentContainer {
    /// Creates a container for a store, with the newest version of its model.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - bundle: The bundle that contains the model.
    /// - Throws: An error if the model is missing or cannot be read, or the store has no versions.
    public convenience init(store: SQLiteStoreDescription, bundle: Bundle) throws {
        guard let newest = store.modelVersions.last else {
            throw StoreError(
                .invalidModel,
                "The store '\(store.name)' is described without a version of its model '\(store.modelName)'.")
        }
        self.init(
            name: store.name,
            managedObjectModel: try bundle.managedObjectModel(versionName: newest.name, modelName: store.modelName))
        persistentStoreDescriptions = [NSPersistentStoreDescription(store: store)]
    }

    /// Opens the container's stores synchronously.
    ///
    /// - Throws: The error of the first store that could not be opened.
    public func loadPersistentStore() throws {
        for description in persistentStoreDescriptions { description.shouldAddStoreAsynchronously = false }
        let failure = Locked<(any Error)?>(nil)
        loadPersistentStores { _, error in
            failure.withLock { $0 = $0 ?? error }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Closes the container's stores. Their files are kept.
    ///
    /// - Throws: The error of a store that could not be closed.
    public func removePersistentStores() throws {
        for store in persistentStoreCoordinator.persistentStores { try persistentStoreCoordinator.remove(store) }
    }
}

extension NSPersistentStoreDescription {
    /// Creates a description that opens a store synchronously and without migrating it; ``SQLiteProgressiveMigration``
    /// migrates.
    ///
    /// - Parameter store: The store.
    public convenience init(store: SQLiteStoreDescription) {
        self.init(url: store.url)
        shouldAddStoreAsynchronously = false
        shouldMigrateStoreAutomatically = false
        shouldInferMappingModelAutomatically = false
    }
}
