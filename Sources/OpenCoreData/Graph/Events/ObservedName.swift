import Foundation
import SwormPredicates

/// The name of a notification that is expensive to post, and the knowledge whether anybody may observe it.
///
/// A notification center does not reveal its observers, but an observer has to ask for the name first. Until then,
/// nothing is collected or posted.
final class ObservedName: Sendable {
    /// The name, for posting.
    let name: Notification.Name
    private let isAskedFor = Locked(false)

    init(_ name: String) { self.name = Notification.Name(name) }

    /// The name, for an observer.
    var forObserver: Notification.Name {
        isAskedFor.withLock { $0 = true }
        return name
    }

    /// Whether the name was requested in this process.
    var mayBeObserved: Bool { isAskedFor.withLock { $0 } }

    static let willSave = ObservedName("NSManagingContextWillSaveChangesNotification")
    static let didSave = ObservedName("NSManagingContextDidSaveChangesNotification")
    static let didSaveIDs = ObservedName("NSManagedObjectContextDidSaveObjectIDsNotification")
    static let objectsDidChange = ObservedName("NSObjectsChangedInManagingContextNotification")
    static let didMergeIDs = ObservedName("NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}
