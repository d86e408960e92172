import Foundation
import SwormStore

extension NSManagedObjectContext {
    /// Writes all unsaved changes. See ``save()``.
    final func saveChanges() throws {
        lock.lock()
        defer { lock.unlock() }
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
        // Those of stores of which no row was written.
        try saveMetadata()
    }

    /// Writes changed metadata of the stores. A transaction that is open writes them when it is committed. A child writes
    /// nothing.
    private func saveMetadata() throws {
        guard nesting.parent == nil, !isWriting else { return }
        for store in coordinator?.persistentStores ?? [] where store.objectStore.hasNewMetadata {
            try store.objectStore.save(SaveRequest())
        }
    }
}
