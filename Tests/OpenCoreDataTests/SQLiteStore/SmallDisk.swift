import Foundation

/// A file system of one megabyte in memory, unmounted at the end.
final class SmallDisk {
    let path: String

    /// Nil where mounting is not permitted, as for ordinary users.
    init?(folder: StoreFolder, kilobytes: Int = 1024) throws {
        path = folder.path + "/disk"
        guard getuid() == 0 else { return nil }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path]) else { return nil }
    }

    deinit { _ = try? Self.run(["umount", path]) }

    func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

    func setReadOnly(_ isReadOnly: Bool) throws {
        _ = try Self.run(["mount", "-o", isReadOnly ? "remount,ro" : "remount,rw", path])
    }

    private static func run(_ arguments: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Whether such a disk can be had here.
    static let isAvailable: Bool = {
        guard let folder = try? StoreFolder(), let disk = try? SmallDisk(folder: folder) else { return false }
        return FileManager.default.fileExists(atPath: disk.path)
    }()
}
