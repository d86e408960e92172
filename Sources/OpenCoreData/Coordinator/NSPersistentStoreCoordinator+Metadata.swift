public import Foundation
import SwormStore

// Stores that are not open in a coordinator.
extension NSPersistentStoreCoordinator {
    /// Returns the metadata of an SQLite store without opening it in a coordinator. The file is never changed.
    ///
    /// - Parameter url: The URL of the file.
    /// - Throws: An error if the file cannot be read or is not a Core Data store.
    public static func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    }

    /// Sets the metadata of a store without opening it in a coordinator.
    ///
    /// The store may have any version of its model. A store that is open keeps the metadata that it has read; use
    /// ``setMetadata(_:for:)`` for a store of a coordinator.
    ///
    /// - Parameters:
    ///   - metadata: Property-list values by key; nil for none. They replace the present values, except those of the
    ///     framework's own keys, which cannot be changed.
    ///   - storeType: `NSSQLiteStoreType`.
    ///   - url: The URL of the file.
    ///   - options: Options by key. The timeout and `SwormWritesMirroredStoresOption` are used.
    /// - Throws: An error if there is no store at the URL that can be written, if the store is mirrored to CloudKit and
    ///   the options do not allow writing it, if another process is writing it for too long, or if a value cannot be
    ///   represented in a property list.
    public static func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try throwingCocoaErrors {
            let storeOptions = try StoreOptions(coordinatorOptions: options ?? [:])
            try StoreKinds.kind(ofType: storeType).setMetadata(url, metadata ?? [:], storeOptions)
        }
    }

    /// Returns the model that a store was written with, from the copy in the store.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - options: Not used.
    /// - Throws: An error with the code `NSMigrationMissingSourceModelError` if the store has no such copy, or one that
    ///   cannot be read; and an error if the file is not a Core Data store.
    public static func cachedModelForPersistentStore(
        at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel {
        try throwingCocoaErrors {
            let stored = try StoredModel(ofStoreAt: url)
            if stored.source == .cache { return stored.model }
            throw CoreDataError(
                NSMigrationMissingSourceModelError,
                "The store '\(StoreFiles(url: url).main)' has no copy of its model. \(stored.notes.first ?? "")")
        }
    }

    /// Returns the id that the text of a URI represents.
    ///
    /// - Parameter text: The text of the result of `uriRepresentation()` of a permanent id.
    /// - Returns: The id; nil if the text is no such URI, or identifies no open store or no entity of the model.
    public func managedObjectID(for text: String) -> NSManagedObjectID? {
        URL(string: text).flatMap { managedObjectID(forURIRepresentation: $0) }
    }

    /// Finishes a migration whose last part was deferred.
    ///
    /// It does nothing, because no part of a migration is deferred: it is complete when the store is open.
    public func finishDeferredLightweightMigration() throws {}

    /// Finishes one task of a migration whose last part was deferred.
    ///
    /// It does nothing, because no part of a migration is deferred: it is complete when the store is open.
    public func finishDeferredLightweightMigrationTask() throws {}
}
