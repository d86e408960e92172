import Foundation

/// A private folder of this process, removed with its content when it is released.
package final class TemporaryFolder: Sendable {
    let path: String
    private let calls: any FileCalls

    package init(_ disk: StoreDisk = .system) throws {
        calls = disk.calls
        path = (NSTemporaryDirectory() as NSString).appendingPathComponent("OpenCoreData-\(UUID().uuidString)")
        try calls.makeFolder(path, permissions: 0o700)
    }

    deinit { try? calls.removeTree(path) }

    package func file(_ name: String) -> String { (path as NSString).appendingPathComponent(name) }

    func copy(_ source: String, as name: String) throws {
        try calls.copyFile(source, to: file(name))
        // The copy must be able to receive the log, even if the original file is read-only.
        try calls.setPermissions(of: file(name), 0o600)
    }
}
