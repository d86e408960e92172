public import Foundation
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Puts a copy of one store in the place of another, or where there is none yet. Both are closed.
    ///
    /// Whatever stops it, the old store is in its place or the new one, each with its external data.
    ///
    /// - Parameters:
    ///   - destinationURL: The place of the store that goes.
    ///   - destinationOptions: The options of that store; its timeout is looked at.
    ///   - sourceURL: The place of the other store. Nothing there is changed.
    ///   - sourceOptions: Not used.
    ///   - storeType: `NSSQLiteStoreType`.
    /// - Throws: An error when the store is open somewhere, or the other one cannot be read.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        guard storeType == NSSQLiteStoreType, !StoreFiles.isMemory(destinationURL) else {
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
