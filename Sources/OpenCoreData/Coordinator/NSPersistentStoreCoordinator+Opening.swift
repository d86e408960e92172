public import Foundation
import SwormPredicates
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Opens a store, and creates it first if it does not exist.
    ///
    /// A migration is a part of Foundation's `Progress` that is current on this thread. Cancelling that leaves the store as it
    /// was, and throws `CocoaError.userCancelled`.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType` or `NSInMemoryStoreType`.
    ///   - configuration: A configuration of the model; nil for all entities.
    ///   - storeURL: The URL of the file. `/dev/null` means memory.
    ///   - options: Options by key.
    /// - Returns: The store.
    /// - Throws: The faults of the model; an error with the code `NSPersistentStoreIncompatibleVersionHashError` when the file
    ///   was written with another model and no migration was asked for; those of a migration that was, by
    ///   `NSMigratePersistentStoresAutomaticallyOption`; `NSPersistentStoreOpenError` and other codes when it can't be opened. The file is then as
    ///   it was. A store that is open in this coordinator already, and a copy of one, can't be opened in it.
    @discardableResult
    public func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        if let modelError { throw modelError }
        if let configuration, configuration != Self.defaultConfiguration,
            compiledModel.configurations[configuration] == nil
        {
            throw CoreDataError(
                NSPersistentStoreOpenError, "The model has no configuration named '\(configuration)'.")
        }
        let given = try StoreKinds.kind(ofType: storeType)
        let kind = storeURL.map(StoreFiles.isMemory) ?? false ? try StoreKinds.kind(ofType: NSInMemoryStoreType) : given
        let url = kind.hasURL ? storeURL : nil
        guard url != nil || !kind.hasURL else {
            throw CoreDataError(NSPersistentStoreOpenError, "A store of the type '\(storeType)' needs a URL.")
        }
        if let url, persistentStore(for: url) != nil {
            throw CoreDataError(
                NSPersistentStoreOpenError, "The store at '\(url.path)' is already open in this coordinator.")
        }
        var storeOptions = try StoreOptions(coordinatorOptions: options ?? [:])
        if let url, !storeOptions.isReadOnly {
            if kind.isMissing(url) {
                storeOptions.modelCache = try managedObjectModel.storeCache()
            } else if storeOptions.migratesAutomatically {
                try migrate(storeAt: url, of: kind, options: storeOptions, coordinatorOptions: options ?? [:])
            }
        }
        let objectStore = try kind.open(url ?? StoreFiles.memoryURL, compiledModel, storeOptions)
        let store = NSPersistentStore(
            objectStore, type: storeType, configurationName: configuration ?? Self.defaultConfiguration,
            url: url, options: options, coordinator: self)
        do {
            try enter(store)
        } catch {
            store.leave()
            throw error
        }
        return store
    }

    /// Opens the store that a description describes.
    ///
    /// - Parameters:
    ///   - storeDescription: The description.
    ///   - block: Called with the description and the error, if there was one: before this call returns, or later if the
    ///     description says that the store is added asynchronously.
    public func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping @Sendable (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        func open() {
            do {
                try addPersistentStore(
                    ofType: storeDescription.type, configurationName: storeDescription.configuration,
                    at: storeDescription.url, options: storeDescription.allOptions)
                block(storeDescription, nil)
            } catch {
                block(storeDescription, error)
            }
        }
        guard storeDescription.shouldAddStoreAsynchronously else { return open() }
        // The description is not used by anyone else until the completion hands it back.
        nonisolated(unsafe) let work = open
        // The progress that is current on this thread is not current on the queue that opens the store.
        let progress = Progress.current().map { _ in Progress(totalUnitCount: 1) }
        DispatchQueue.global().async {
            progress?.becomeCurrent(withPendingUnitCount: 1)
            work()
            progress?.resignCurrent()
        }
    }

    /// The metadata of a store that is not open.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType`.
    ///   - url: The URL of the file.
    ///   - options: Not used.
    /// - Throws: An error when the file can't be read or is no store of Core Data. The file is never changed.
    public static func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try StoreKinds.kind(ofType: storeType).metadata(url, StoreOptions())
    }

    /// Removes a store's files: the database, its write-ahead log, and its external data.
    ///
    /// A file that is not there is passed over, and so is the URL of a store in memory, `/dev/null`. A damaged store is removed
    /// where it can be seen that it was one.
    ///
    /// - Parameters:
    ///   - url: The URL of the file. The store must not be open.
    ///   - storeType: `NSSQLiteStoreType`; for `NSInMemoryStoreType` nothing is done.
    ///   - options: With `NSPersistentStoreForceDestroyOption` a file is removed that is no store, too.
    /// - Throws: An error when the store is open in this coordinator, when a file can't be removed, when there is a folder, a
    ///   device or a link instead of the file, and when the file is neither empty nor a store. Nothing is removed in the
    ///   last two cases.
    public func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        guard persistentStore(for: url) == nil else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "Cannot destroy the store at '\(url.path)': it is open. Remove it first."
            )
        }
        if StoreFiles.isMemory(url) { return }
        let isForced = (options?[NSPersistentStoreForceDestroyOption] as? NSNumber)?.boolValue ?? false
        let disk = StoreDisk(coordinatorOptions: options)
        try StoreKinds.kind(ofType: storeType).destroy(url, disk, isForced)
    }
}
