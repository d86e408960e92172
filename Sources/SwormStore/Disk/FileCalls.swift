package import Foundation

/// The calls that change files and folders. SQLite manages its own files itself.
///
/// Each call is one step: a crash may occur between any two calls, and changes that are not synchronized by then may be
/// lost. Tests record the calls, and make them fail.
package protocol FileCalls: Sendable {
    /// Creates an empty file at a path where nothing exists.
    func createFile(_ path: String) throws
    /// Writes bytes into a file, starting at its beginning.
    func write(_ data: Data, to path: String) throws
    /// Creates a file with the content and the permissions of another one, at a path where nothing exists.
    func copyFile(_ path: String, to copy: String) throws
    func truncate(_ path: String, to size: Int64) throws
    /// Returns when the content of a file, or the names in a folder, are on the disk.
    func synchronize(_ path: String) throws
    /// Renames a file or a folder. Replaces an existing file at the new path.
    func rename(_ path: String, to newPath: String) throws
    /// Removes a file. A link is removed itself, not the file to which it refers.
    func removeFile(_ path: String) throws
    /// Creates a hard link to a file.
    func link(_ path: String, to newPath: String) throws
    /// Creates a symbolic link.
    func makeLink(_ path: String, to target: String) throws
    /// Creates a folder in an existing folder.
    func makeFolder(_ path: String, permissions: Int) throws
    /// Removes an empty folder.
    func removeFolder(_ path: String) throws
    func setPermissions(of path: String, _ permissions: Int) throws
    func setOwner(of path: String, user: UInt32, group: UInt32) throws
    /// Sets the time of the last modification to the earliest possible time.
    func makeOld(_ path: String) throws
}

// Calls with several steps.
extension FileCalls {
    /// The permissions of a folder that all users can access.
    static var usualPermissions: Int { 0o777 }

    /// Creates a folder and its missing parent folders, and returns when their names are on the disk.
    package func makeFolders(_ path: String) throws {
        guard FileKind(path: path) == nil else { return }
        let parent = (path as NSString).deletingLastPathComponent
        if !parent.isEmpty { try makeFolders(parent) }
        do {
            try makeFolder(path, permissions: Self.usualPermissions)
        } catch {
            // Another process may just have created the folder.
            guard FileKind(path: path) == .folder else { throw error }
        }
        if !parent.isEmpty { try synchronize(parent) }
    }

    /// Writes a new file and returns when its content is on the disk. Its name may not be on the disk yet.
    func writeFile(_ data: Data, to path: String) throws {
        try createFile(path)
        try write(data, to: path)
        try synchronize(path)
    }

    /// Replaces the content of a file so that its path refers to either the old or the new content at any time. After a
    /// crash, the old content may be back.
    func replaceFile(_ data: Data, at path: String) throws {
        let draft = Self.draft(of: path)
        removeIfPresent(draft)
        do {
            try writeFile(data, to: draft)
            try rename(draft, to: path)
        } catch {
            removeIfPresent(draft)
            throw error
        }
    }

    /// Returns the path at which the new content of a file is written.
    static func draft(of path: String) -> String { path + "-new" }

    /// Removes a file if it exists and can be removed.
    func removeIfPresent(_ path: String) { try? removeFile(path) }

    /// Removes the item at a path. A folder is removed with its content.
    func removeTree(_ path: String) throws {
        guard FileKind(itself: path) == .folder else { return try removeFile(path) }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) { try removeTree(path + "/" + name) }
        try removeFolder(path)
    }

    /// Copies the files of a folder into a new one, and returns when their content and names are on the disk.
    func copyFiles(in folder: String, to copy: String) throws {
        try makeFolders(copy)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let (from, to) = (folder + "/" + name, copy + "/" + name)
            guard FileKind(itself: from) != .folder else {
                try copyFiles(in: from, to: to)
                continue
            }
            // Opening a pipe would block, and a link could refer to another file from another folder.
            guard FileKind(itself: from) == .file else { continue }
            try copyFile(from, to: to)
            try synchronize(to)
        }
        try synchronize(copy)
    }
}
