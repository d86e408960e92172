public import Foundation
import SwormStore

extension NSPersistentHistoryTransaction {
    /// Returns the notification that the save would have posted, for a context to merge with
    /// `mergeChanges(fromContextDidSave:)`.
    ///
    /// Its name is ``NSManagedObjectContext/didSaveObjectIDsNotification``, and it contains the ids by kind of change.
    /// Without ``changes`` it contains no ids.
    public final func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in includesChanges ? stored.changes : [] {
            ids[change.type, default: []].insert(origin.id(of: change.row))
        }
        return Notification(
            name: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil,
            userInfo: [
                NSInsertedObjectIDsKey: ids[.insert] ?? [], NSUpdatedObjectIDsKey: ids[.update] ?? [],
                NSDeletedObjectIDsKey: ids[.delete] ?? [],
            ])
    }
}
