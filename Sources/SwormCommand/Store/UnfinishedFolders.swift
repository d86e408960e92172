import Foundation
import Synchronization

/// The folders of stores that are being made. A tool that is interrupted removes them.
package enum UnfinishedFolders {
    private static let paths = Mutex<Set<String>>([])

    static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// - Returns: Whether the folder was among them.
    @discardableResult
    static func remove(_ path: String) -> Bool { paths.withLock { $0.remove(path) != nil } }

    /// Removes all of them.
    package static func removeAll() {
        // Under the lock: from the moment on at which a folder is taken out of here, other things can be in it.
        paths.withLock { paths in
            for path in paths { try? FileManager.default.removeItem(atPath: path) }
            paths = []
        }
    }
}
