import Foundation
import SwormPredicates

/// The hubs of the files that are open in this process.
enum HubRegistry {
    private struct Entry: Sendable {
        let hub: FileHub
        var users: Int
        /// Whether one of them has the file open without a log, which locks the file itself.
        var locksFile = false
    }

    private static let hubs = Locked<[FileIdentity: Entry]>([:])
    /// The paths by which stores are open, each with the number of its users. Such a file is known to be a store whatever becomes
    /// of it, also when another file takes its path.
    private static let paths = Locked<[String: Int]>([:])

    /// The hub of a file that is open, the same one until the last user has left it. The number of a file may belong to
    /// another one later, which gets a hub of its own.
    ///
    /// - Parameters:
    ///   - slotLimit: The number of calls that may read at the same time; nil for the standard.
    ///   - logLimit: The frames of the log after which it is to begin anew; the lowest one counts.
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

    /// Whether a connection of this process may have locks on a file. They would end if anything else opened and closed it: they
    /// belong to the process, and not to a descriptor.
    static func mayLock(_ path: String) -> Bool {
        guard let identity = FileIdentity(path: path) else { return false }
        return hubs.withLock { $0[identity]?.locksFile ?? false }
    }

    /// Whether a store is open by a path in this process.
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

/// The share that one user has in the hub of a file which it has open. It ends with the last reference.
final class HubMembership: Sendable {
    let hub: FileHub
    private let identity: FileIdentity
    let path: String

    /// - Parameters:
    ///   - path: The path of a file that the caller has open, and keeps open as long as it has the membership.
    ///   - slotLimit: The number of calls that may read at the same time; nil for the standard.
    ///   - logLimit: The frames of the log after which it is to begin anew.
    /// - Returns: Nil where there is no file.
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

    /// Says that the file is used without a log.
    func noteLocks() { HubRegistry.noteLocks(identity) }

    /// Whether the path leads to the file that is open.
    var isCurrent: Bool { FileIdentity(path: path) == identity }

    /// - Throws: ``CoreDataError`` where the file was moved, removed or replaced: what is written into it would be lost.
    func check() throws {
        if isCurrent { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "The file “\(path)” was moved, removed or replaced while the store was open. Nothing was written. Close the store, and open the file that is meant."
        )
    }
}

/// A file as the file system knows it, whatever its path.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// - Returns: Nil where there is no file.
    init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: information.st_dev)
        number = UInt64(truncatingIfNeeded: information.st_ino)
    }
}
