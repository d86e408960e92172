public import Foundation

// The methods with a type of a store as a value. They call those with the type as a string.
extension NSPersistentStoreCoordinator {
    /// Opens a store, and creates it first if it does not exist.
    ///
    /// - Parameters:
    ///   - type: The type of the store.
    ///   - configuration: The name of a configuration of the model; nil for all entities.
    ///   - storeURL: The URL of the file. `/dev/null` means an in-memory store.
    ///   - options: Options by key.
    /// - Returns: The store.
    /// - Throws: The errors of ``addPersistentStore(ofType:configurationName:at:options:)``.
    @discardableResult
    public func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Removes the files of a store: the database, its write-ahead log, and its external data.
    ///
    /// - Parameters:
    ///   - url: The URL of the file. The store must not be open.
    ///   - type: The type of the store.
    ///   - options: Options by key.
    /// - Throws: The errors of ``destroyPersistentStore(at:ofType:options:)``.
    public func destroyPersistentStore(
        at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
    }

    /// Replaces a store with a copy of another one, or creates the copy if no store exists. Neither store may be open.
    ///
    /// - Parameters:
    ///   - destinationURL: The URL of the store to replace.
    ///   - destinationOptions: The options of that store. Only its timeout is used.
    ///   - sourceURL: The URL of the store to copy. It is not changed.
    ///   - sourceOptions: Not used.
    ///   - type: The type of both stores.
    /// - Throws: The errors of
    ///   ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: type.rawValue)
    }

    /// Returns the metadata of a store without opening it in a coordinator. The file is never changed.
    ///
    /// - Parameters:
    ///   - type: The type of the store.
    ///   - url: The URL of the file.
    ///   - options: Not used.
    /// - Throws: An error if the file cannot be read or is not a Core Data store.
    public static func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
    }

    /// Sets the metadata of a store without opening it in a coordinator.
    ///
    /// - Parameters:
    ///   - metadata: Property-list values by key; nil for none. The framework's own keys cannot be changed.
    ///   - type: The type of the store.
    ///   - url: The URL of the file.
    ///   - options: Options by key. The timeout is used.
    /// - Throws: The errors of ``setMetadata(_:forPersistentStoreOfType:at:options:)``.
    public static func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
    }

    /// Moves a store to another URL or type, and opens it there.
    ///
    /// - Parameters:
    ///   - store: A store of this coordinator.
    ///   - storeURL: The URL of the new file, which must not exist.
    ///   - options: The options of the new store.
    ///   - type: The type of the new store.
    /// - Returns: The new store.
    /// - Throws: The errors of ``migratePersistentStore(_:to:options:withType:)``.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: type.rawValue)
    }
}
