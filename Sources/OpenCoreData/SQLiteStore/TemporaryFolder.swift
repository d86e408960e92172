import Foundation

/// A folder that only this process looks into, removed with its content when nobody needs it any more.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = (NSTemporaryDirectory() as NSString).appendingPathComponent("OpenCoreData-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { (path as NSString).appendingPathComponent(name) }

    func copy(_ source: String, as name: String) throws {
        try FileManager.default.copyItem(atPath: source, toPath: file(name))
        // The copy of a file that nobody may write must take a log back all the same.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file(name))
    }
}
