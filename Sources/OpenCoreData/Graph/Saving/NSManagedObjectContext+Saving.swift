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
        lock.lock()
        defer { lock.unlock() }
        try throwReadError()
        guard hasChanges, !saving.isRunning else { return }
        saving.begin()
        defer {
            saving.end()
            transactions.endParked()
        }
        try SaveOperation(context: self, coordinator: requireCoordinator()).run()
    }
}
