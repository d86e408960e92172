import Foundation
import Synchronization

/// The folders of stores that are being created. They are removed when the tool is interrupted.
package enum UnfinishedFolders {
    private static let paths = Mutex<Set<String>>([])

    static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// - Returns: Whether the folder was registered.
    @discardableResult
    static func remove(_ path: String) -> Bool { paths.withLock { $0.remove(path) != nil } }

    /// Removes all registered folders.
    package static func removeAll() {
        // Hold the lock, because a folder may have other content as soon as it is no longer registered.
        paths.withLock { paths in
            for path in paths { try? FileManager.default.removeItem(atPath: path) }
            paths = []
        }
    }
}
