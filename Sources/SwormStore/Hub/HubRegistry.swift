import Foundation
import SwormPredicates

/// The hubs of the files that are open in this process.
enum HubRegistry {
    private struct Entry: Sendable {
        let hub: FileHub
        var users: Int
        /// Whether one of the users has the file open without a log, which locks the file itself.
        var locksFile = false
    }

    private static let hubs = Locked<[FileIdentity: Entry]>([:])
    /// The paths of the open stores, each with the number of its users. Such a path is known to belong to a store,
    /// regardless of what happens to the file, and even if another file replaces it.
    private static let paths = Locked<[String: Int]>([:])

    /// Returns the hub of an open file. The hub is the same until the last user has left it. The file system may later
    /// assign the number of the file to another file, which gets its own hub.
    ///
    /// - Parameters:
    ///   - slotLimit: The number of calls that may read at the same time, or nil for the default.
    ///   - logLimit: The number of frames after which the log restarts. The lowest limit of all users applies.
    fileprivate static func enter(_ identity: FileIdentity, slotLimit: Int?, logLimit: Int) -> FileHub {
        let hub = hubs.withLock { hubs in
            let hub =
                hubs[identity]?.hub
                ?? FileHub(slotLimit: slotLimit ?? FileHub.standardSlotLimit, logLimit: logLimit)
            hubs[identity, default: Entry(hub: hub, users: 0)].users += 1
            return hub
        }
        if let slotLimit { hub.raiseSlotLimit(to: slotLimit) }
        hub.log.withLock { $0.lower(to: logLimit) }
        return hub
    }

    /// Returns whether a connection of this process may have locks on a file. Opening and closing the file elsewhere
    /// would release them, because they belong to the process and not to a descriptor.
    static func mayLock(_ path: String) -> Bool {
        guard let identity = FileIdentity(path: path) else { return false }
        return hubs.withLock { $0[identity]?.locksFile ?? false }
    }

    /// Returns whether a store is open at a path in this process.
    static func isOpen(_ path: String) -> Bool { paths.withLock { $0[path] != nil } }

    fileprivate static func note(_ path: String) { paths.withLock { $0[path, default: 0] += 1 } }

    fileprivate static func forget(_ path: String) {
        paths.withLock { paths in
            guard let users = paths[path] else { return }
            paths[path] = users > 1 ? users - 1 : nil
        }
    }

    fileprivate static func noteLocks(_ identity: FileIdentity) {
        hubs.withLock { $0[identity]?.locksFile = true }
    }

    fileprivate static func leave(_ identity: FileIdentity) {
        hubs.withLock { hubs in
            guard var entry = hubs[identity] else { return }
            entry.users -= 1
            hubs[identity] = entry.users > 0 ? entry : nil
        }
    }
}

/// The membership of one user in the hub of an open file. It ends when the last reference is released.
final class HubMembership: Sendable {
    let hub: FileHub
    private let identity: FileIdentity
    let path: String

    /// - Parameters:
    ///   - path: The path of a file that the caller has open, and keeps open for the lifetime of the membership.
    ///   - slotLimit: The number of calls that may read at the same time, or nil for the default.
    ///   - logLimit: The number of frames after which the log restarts.
    /// - Returns: Nil if there is no file.
    init?(path: String, slotLimit: Int?, logLimit: Int = FileHub.standardLogLimit) {
        guard let identity = FileIdentity(path: path) else { return nil }
        self.identity = identity
        self.path = path
        hub = HubRegistry.enter(identity, slotLimit: slotLimit, logLimit: logLimit)
        HubRegistry.note(path)
    }

    deinit {
        HubRegistry.leave(identity)
        HubRegistry.forget(path)
    }

    /// Notes that the file is used without a log.
    func noteLocks() { HubRegistry.noteLocks(identity) }

    /// Whether the path still refers to the open file.
    var isCurrent: Bool { FileIdentity(path: path) == identity }

    /// Checks that the path still refers to the open file.
    ///
    /// - Throws: ``CoreDataError`` if the file was moved, removed or replaced, because writes would be lost.
    func check() throws {
        if isCurrent { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "The file '\(path)' was moved, removed or replaced while the store was open. Nothing was written. Close the store, and open the file that is meant."
        )
    }
}

/// The identity of a file in the file system, regardless of its path.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// - Returns: Nil if there is no file.
    init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: information.st_dev)
        number = UInt64(truncatingIfNeeded: information.st_ino)
    }
}
