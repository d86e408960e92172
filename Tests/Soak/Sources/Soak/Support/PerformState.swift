import Foundation

/// A folder of its own, which is removed at the end.
final class PerformState {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func url(_ name: String) -> URL { folder.appending(path: name) }

    /// Copies a file that is not open, and synchronizes the copy. Pages that are written later would slow down the next
    /// measurement.
    func copy(_ source: String, to name: String) throws {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(at: url(name + end)) }
        try FileManager.default.copyItem(at: url(source), to: url(name))
        let copy = try FileHandle(forUpdating: url(name))
        try copy.synchronize()
        try copy.close()
    }
}
