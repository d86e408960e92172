public import Foundation
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Replaces a store with a copy of another one, or creates the copy if no store exists. Neither store may be open.
    ///
    /// The replacement is atomic: if it is interrupted, the URL has either the old store or the new one, each with its
    /// external data.
    ///
    /// - Parameters:
    ///   - destinationURL: The URL of the store to replace.
    ///   - destinationOptions: The options of that store. Its timeout is used, and `SwormWritesMirroredStoresOption`
    ///     allows to replace a store that is mirrored to CloudKit.
    ///   - sourceURL: The URL of the store to copy. It is not changed.
    ///   - sourceOptions: Not used.
    ///   - storeType: `NSSQLiteStoreType`.
    /// - Throws: An error if the replaced store is open, or the source store cannot be read.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try throwingCocoaErrors {
            try replaceStore(
                at: destinationURL, destinationOptions: destinationOptions, from: sourceURL, ofType: storeType)
        }
    }

    private func replaceStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]?, from sourceURL: URL, ofType storeType: String
    ) throws {
        guard storeType == NSSQLiteStoreType, !StoreFiles.isFileless(destinationURL) else {
            throw CoreDataError(
                NSPersistentStoreInvalidTypeError,
                "Cannot replace the store at '\(destinationURL.path)': only stores of NSSQLiteStoreType in files can be replaced."
            )
        }
        for url in [destinationURL, sourceURL] where persistentStore(for: url) != nil {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "Cannot replace the store at '\(destinationURL.path)': the store at '\(url.path)' is open. Remove it first."
            )
        }
        try StoreKinds.kind(ofType: storeType).replace(
            destinationURL, sourceURL, StoreOptions(coordinatorOptions: destinationOptions ?? [:]))
    }
}
