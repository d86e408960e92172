package import Foundation

/// The calls by which files and folders are changed. SQLite's own files are its own business.
///
/// Each is one step: a crash may come between any two of them, and what is not synchronized then may be lost. Tests record
/// the calls, and let them fail.
package protocol FileCalls: Sendable {
    /// Makes an empty file where there is nothing.
    func createFile(_ path: String) throws
    /// Writes bytes into a file, from its beginning on.
    func write(_ data: Data, to path: String) throws
    /// Makes a file with the content and the permissions of another one, where there is nothing.
    func copyFile(_ path: String, to copy: String) throws
    func truncate(_ path: String, to size: Int64) throws
    /// Returns when the content of a file is on the disk, or the names in a folder are.
    func synchronize(_ path: String) throws
    /// Gives a file or a folder another path. A file that is there is replaced.
    func rename(_ path: String, to newPath: String) throws
    /// Removes a file, or a link and not what it leads to.
    func removeFile(_ path: String) throws
    /// Gives a file a second name.
    func link(_ path: String, to newPath: String) throws
    /// Makes a symbolic link.
    func makeLink(_ path: String, to target: String) throws
    /// Makes a folder in one that is there.
    func makeFolder(_ path: String, permissions: Int) throws
    /// Removes a folder that has nothing in it.
    func removeFolder(_ path: String) throws
    func setPermissions(of path: String, _ permissions: Int) throws
    func setOwner(of path: String, user: UInt32, group: UInt32) throws
    /// Sets the time of the last modification to the first moment that there is.
    func makeOld(_ path: String) throws
}

// Calls of several steps.
extension FileCalls {
    /// The permissions of a folder that everybody may look into.
    package static var usualPermissions: Int { 0o777 }

    /// Makes a folder and those above it that are missing, and returns when their names are on the disk.
    package func makeFolders(_ path: String) throws {
        guard FileKind(path: path) == nil else { return }
        let parent = (path as NSString).deletingLastPathComponent
        if !parent.isEmpty { try makeFolders(parent) }
        do {
            try makeFolder(path, permissions: Self.usualPermissions)
        } catch {
            // Somebody else may just have made it.
            guard FileKind(path: path) == .folder else { throw error }
        }
        if !parent.isEmpty { try synchronize(parent) }
    }

    /// Writes a new file and returns when its content is on the disk. Its name need not be.
    package func writeFile(_ data: Data, to path: String) throws {
        try createFile(path)
        try write(data, to: path)
        try synchronize(path)
    }

    /// Writes a file so that its path leads to the old content or to the new one at any time. After a crash the old one may
    /// be back.
    package func replaceFile(_ data: Data, at path: String) throws {
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

    /// The path under which the new content of a file is written.
    package static func draft(of path: String) -> String { path + "-new" }

    /// Removes a file if it is there and can be removed.
    package func removeIfPresent(_ path: String) { try? removeFile(path) }

    /// Removes whatever is at a path, a folder with all that is in it.
    package func removeTree(_ path: String) throws {
        guard FileKind(itself: path) == .folder else { return try removeFile(path) }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) { try removeTree(path + "/" + name) }
        try removeFolder(path)
    }

    /// Copies the files of a folder into a new one, and returns when they are on the disk with their names.
    package func copyFiles(in folder: String, to copy: String) throws {
        try makeFolders(copy)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let (from, to) = (folder + "/" + name, copy + "/" + name)
            guard FileKind(itself: from) != .folder else {
                try copyFiles(in: from, to: to)
                continue
            }
            // A pipe would be waited for, and a link would lead elsewhere from another folder.
            guard FileKind(itself: from) == .file else { continue }
            try copyFile(from, to: to)
            try synchronize(to)
        }
        try synchronize(copy)
    }
}
