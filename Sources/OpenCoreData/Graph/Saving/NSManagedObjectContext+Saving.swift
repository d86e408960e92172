import Foundation
import SwormStore

extension NSManagedObjectContext {
    /// Writes all unsaved changes or no change at all, in one transaction per store.
    ///
    /// Objects are validated first. If a row was changed in the store since it was read, or if a unique value already
    /// exists, the merge policy decides. If the save fails, the changes stay in the context.
    ///
    /// - Throws: Validation errors, conflicts that the merge policy does not resolve, or the store's error.
    public func save() throws {
        try throwingCocoaErrors { try saveChanges() }
    }

    private func saveChanges() throws {
        lock.lock()
        defer { lock.unlock() }
        try throwReadError()
        if saving.isRunning { return }
        // Without an observer, the event ends with the save, which visits its objects anyway.
        if isObserved { processPendingChanges() }
        guard hasChanges else { return try saveMetadata() }
        saving.begin()
        defer {
            saving.end()
            transactions.endParked()
        }
        try SaveOperation(context: self, coordinator: requireCoordinator()).run()
    }

    /// Writes changed metadata of the stores. A transaction that is open writes them when it is committed.
    private func saveMetadata() throws {
        guard !isWriting else { return }
        for store in coordinator?.persistentStores ?? [] where store.objectStore.hasNewMetadata {
            try store.objectStore.save(SaveRequest())
        }
    }
}
