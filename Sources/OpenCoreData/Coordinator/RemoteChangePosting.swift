public import Foundation
import SwormPredicates

/// An option of a store: whether the coordinator posts `NSPersistentStoreRemoteChange` for its commits.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"

/// The key of the store's URL in the user info of `NSPersistentStoreRemoteChange`.
public let NSPersistentStoreURLKey = "storeURL"

/// The key of the current history token in the user info of `NSPersistentStoreRemoteChange`, if the store has a history.
public let NSPersistentHistoryTokenKey = "historyToken"

extension Notification.Name {
    /// A coordinator posts this notification after commits to a store, by this process or another one, if the store was
    /// added with the option `NSPersistentStoreRemoteChangeNotificationPostOptionKey`.
    ///
    /// It is posted on a queue of the store, soon after the commit. Several commits may cause one notification. Its
    /// user info contains the URL and the identifier of the store, and the current history token.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// The posting of notifications about the commits to a store.
///
/// @unchecked: the references are weak and immutable, and everything that changes is behind a lock.
final class RemoteChangePosting: @unchecked Sendable {
    private weak var store: NSPersistentStore?
    private let queue = DispatchQueue(label: "Sworm remote changes")
    private let isPending = Locked(false)
    private let ending = Locked<(@Sendable () -> Void)?>(nil)

    /// Returns nil if the options of the store do not ask for notifications.
    init?(_ store: NSPersistentStore) {
        let option = store.options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey]
        guard (option as? NSNumber)?.boolValue ?? (option as? Bool) ?? false else { return nil }
        self.store = store
        let ending = store.listen { [weak self] _ in self?.committed() }
        self.ending.withLock { $0 = ending }
    }

    func end() {
        let ending = ending.withLock { ending in
            defer { ending = nil }
            return ending
        }
        ending?()
    }

    deinit { end() }

    /// Called on the thread that has committed, which holds the turn to write, so the observers are called elsewhere.
    private func committed() {
        let isFirst = isPending.withLock { isPending in
            defer { isPending = true }
            return !isPending
        }
        if isFirst { queue.async { [weak self] in self?.post() } }
    }

    private func post() {
        isPending.withLock { $0 = false }
        guard let store, let coordinator = store.persistentStoreCoordinator else { return }
        var information: [AnyHashable: Any] = [NSStoreUUIDKey: store.identifier]
        if let url = store.url { information[NSPersistentStoreURLKey] = url }
        if let token = coordinator.currentPersistentHistoryToken(fromStores: [store]) {
            information[NSPersistentHistoryTokenKey] = token
        }
        NotificationCenter.default.post(
            name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: information)
    }
}
