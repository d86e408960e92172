import Foundation
import Synchronization

/// The folders of stores that are being made. A tool that is interrupted removes them.
package enum UnfinishedFolders {
    private static let paths = Mutex<Set<String>>([])

    static func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }
    static func remove(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    /// Removes all of them.
    package static func removeAll() {
        for path in paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }
}
