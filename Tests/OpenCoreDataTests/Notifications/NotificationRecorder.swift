import Foundation

@testable import OpenCoreData

/// The notifications of one name and object, in order.
///
/// @unchecked: it is used where its object is used.
final class NotificationRecorder: @unchecked Sendable {
    private(set) var received: [[AnyHashable: Any]] = []
    private var observer: (any NSObjectProtocol)?
    /// Called for each notification.
    var onReceive: () -> Void = {}

    init(_ name: Notification.Name, of object: AnyObject) {
        observer = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
            [weak self] notification in
            self?.received.append(notification.userInfo ?? [:])
            self?.onReceive()
        }
    }

    deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    /// The keys of the last notification.
    var keys: Set<String> { Set((received.last ?? [:]).keys.compactMap { $0.base as? String }) }

    func objects(_ key: String) -> Set<NSManagedObject> { received.last?[key] as? Set<NSManagedObject> ?? [] }

    func ids(_ key: String) -> Set<NSManagedObjectID> { received.last?[key] as? Set<NSManagedObjectID> ?? [] }
}
