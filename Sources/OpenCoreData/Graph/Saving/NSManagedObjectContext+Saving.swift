import Foundation
import SwormStore

extension NSManagedObjectContext {
    /// Writes all unsaved changes. See ``save()``.
    final func saveChanges() throws {
        lock.lock()
        defer { lock.unlock() }
        // A child takes over the coordinator of its parent before its changes are looked for, because it may lose them.
        _ = currentCoordinator
        try throwReadError()
        if saving.isRunning { return }
        defer { forgetMergedDeletions() }
        // Without an observer, the event ends with the save, which visits its objects anyway.
        if isObserved || undoManaging != nil { processEvents() }
        guard hasChanges else { return try saveMetadata() }
        saving.begin()
        defer {
            saving.end()
            transactions.endParked()
        }
        try SaveOperation(context: self, coordinator: requireCoordinator()).run()
        // Those of stores of which no row was written. The changes are committed by now.
        saveMetadataReportingErrors()
    }

    /// The stores with changed metadata to write. A transaction that is open writes them when it is committed. A child
    /// writes nothing, and the metadata of a read-only store are never written.
    private var storesWithNewMetadata: [any ObjectStore] {
        guard nesting.parent == nil, !isWriting else { return [] }
        return (coordinator?.persistentStores ?? []).map(\.objectStore).filter {
            $0.hasNewMetadata && $0.readOnlyReason == nil
        }
    }

    private func saveMetadata() throws {
        for store in storesWithNewMetadata { try store.save(SaveRequest()) }
    }

    /// Writes changed metadata. Those that cannot be written stay for the next save.
    private func saveMetadataReportingErrors() {
        for store in storesWithNewMetadata {
            do {
                try store.save(SaveRequest())
            } catch {
                (store as? SQLiteStore)?.warn(
                    CoreDataError(
                        NSPersistentStoreSaveError,
                        "The changes were saved, but not the metadata that were set: \(error) The next save writes them.",
                        cause: error))
            }
        }
    }
}
