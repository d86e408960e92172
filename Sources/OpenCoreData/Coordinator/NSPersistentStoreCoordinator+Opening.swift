public import Foundation
import SwormPredicates
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Opens a store, and creates it first if it does not exist.
    ///
    /// A store that is already open in this coordinator cannot be opened again, and neither can a copy of it.
    ///
    /// A migration reports to the Foundation `Progress` that is current on this thread. If that is cancelled, the store
    /// is unchanged, and the method throws `CocoaError.userCancelled`.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType` or `NSInMemoryStoreType`, or, in a package with the trait `PostgreSQL`,
    ///     `SwormPostgreSQLStoreType`.
    ///   - configuration: The name of a configuration of the model; nil for all entities.
    ///   - storeURL: The URL of the file, or of the schema on a server. `/dev/null` means an in-memory store, and a URL
    ///     below it, such as `/dev/null/shared`, an in-memory store that is shared by all coordinators of the process
    ///     which open this URL, until the last of them has removed it.
    ///   - options: Options by key.
    /// - Returns: The store.
    /// - Throws: The issues of an invalid model; an error with the code `NSPersistentStoreIncompatibleVersionHashError`
    ///   if the file was written with a different model and no migration was requested; the error of a migration that
    ///   was requested with `NSMigratePersistentStoresAutomaticallyOption`; or an error with the code
    ///   `NSPersistentStoreOpenError` or another code if the store cannot be opened. In all cases the file is
    ///   unchanged.
    @discardableResult
    public func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try throwingCocoaErrors {
            try openStore(ofType: storeType, configurationName: configuration, at: storeURL, options: options)
        }
    }

    private func openStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]?
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
        let shownURL = try url.map(kind.shownURL)
        if let shownURL, persistentStore(for: shownURL) != nil {
            throw CoreDataError(
                NSPersistentStoreOpenError, "The store at '\(shownURL.shown)' is already open in this coordinator.")
        }
        var storeOptions = try StoreOptions(coordinatorOptions: options ?? [:])
        if let url, !storeOptions.isReadOnly {
            if kind.isMissing(url) {
                let cache = try managedObjectModel.storeCache()
                storeOptions.modelCache = cache
                #if PostgreSQL
                storeOptions.serverMapping = { try ModelMapping.inferred(fromCache: $0, toCache: cache) }
                #endif
            } else if storeOptions.migratesAutomatically, !storeOptions.ignoresVersion {
                try migrate(storeAt: url, of: kind, options: storeOptions, coordinatorOptions: options ?? [:])
            }
        }
        let objectStore = try kind.open(url ?? StoreFiles.memoryURL, compiledModel, storeOptions)
        let store = NSPersistentStore(
            objectStore, type: storeType, configurationName: configuration ?? Self.defaultConfiguration,
            url: shownURL, options: options, coordinator: self)
        post(.NSPersistentStoreCoordinatorStoresWillChange, [NSAddedPersistentStoresKey: [store]])
        do {
            try enter(store)
        } catch {
            store.leave()
            throw error
        }
        store.startPosting()
        post(.NSPersistentStoreCoordinatorStoresDidChange, [NSAddedPersistentStoresKey: [store]])
        return store
    }

    /// Opens a store as specified by a description.
    ///
    /// - Parameters:
    ///   - storeDescription: The description of the store.
    ///   - block: A closure that is called with the description and the error that occurred, or nil. It is called
    ///     before this method returns, unless `shouldAddStoreAsynchronously` is set in the description.
    @preconcurrency public func addPersistentStore(
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
        // The caller does not use the description again until it is passed to the completion handler.
        nonisolated(unsafe) let work = open
        // A progress is current on one thread only, so the queue that opens the store needs a child of it.
        let progress = Progress.current().map { _ in Progress(totalUnitCount: 1) }
        DispatchQueue.global().async {
            progress?.becomeCurrent(withPendingUnitCount: 1)
            work()
            progress?.resignCurrent()
        }
    }

    /// Returns the metadata of a store without opening it in a coordinator. The file is never changed.
    ///
    /// - Parameters:
    ///   - storeType: `NSSQLiteStoreType`.
    ///   - url: The URL of the file.
    ///   - options: Not used.
    /// - Throws: An error if the file cannot be read or is not a Core Data store.
    public static func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try throwingCocoaErrors { try StoreKinds.kind(ofType: storeType).metadata(url, .reaching(options)) }
    }

    /// Removes the files of a store: the database, its write-ahead log, and its external data.
    ///
    /// Missing files are ignored, and so is `/dev/null`, the URL of an in-memory store. A damaged store is removed if
    /// it can still be recognized as a store.
    ///
    /// - Parameters:
    ///   - url: The URL of the file. The store must not be open.
    ///   - storeType: `NSSQLiteStoreType`. For `NSInMemoryStoreType` the method does nothing.
    ///   - options: Options by key. If `NSPersistentStoreForceDestroyOption` is set, a file that is not a store is
    ///     removed too.
    /// - Throws: An error if the store is open in this coordinator; if a file cannot be removed; if the URL refers to a
    ///   folder, a device or a link; or if the file is neither empty nor a store. In the last two cases nothing is
    ///   removed.
    public func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        try throwingCocoaErrors { try destroyStore(at: url, ofType: storeType, options: options) }
    }

    private func destroyStore(at url: URL, ofType storeType: String, options: [AnyHashable: Any]?) throws {
        let kind = try StoreKinds.kind(ofType: storeType)
        let shownURL = try kind.shownURL(url)
        guard persistentStore(for: shownURL) == nil else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "Cannot destroy the store at '\(shownURL.shown)': it is open. Remove it first."
            )
        }
        if StoreFiles.isFileless(url) { return }
        let isForced = (options?[NSPersistentStoreForceDestroyOption] as? NSNumber)?.boolValue ?? false
        try kind.destroy(url, .reaching(options), isForced)
    }
}
