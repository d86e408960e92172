import Foundation
import OpenCoreData
import SwormSQLite
import SwormStore

/// A temporary location for a new store, which appears under its name only when it is complete.
final class NewStoreLocation {
    let target: URL
    /// The file to write to.
    let url: URL
    private let folder: String
    private let replaces: Bool
    /// Whether the folder still contains the old store, because it could not be moved back.
    private var keepsFolder = false

    /// Creates a folder beside the target.
    ///
    /// - Throws: ``ToolError`` if existing files are in the way. Only a store is replaced, and only on request.
    ///
    /// - Parameter source: A store that must not be changed, nor its external data, even if it is damaged.
    init(_ path: String, replaces: Bool, keeping source: URL? = nil) throws {
        guard !path.isEmpty else {
            throw ToolError(.usage, "the path of the new store is empty", hint: "name the file to create")
        }
        var name = path
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        target = URL(fileURLWithPath: name, isDirectory: false)
        self.replaces = replaces
        try Self.check(target, replaces: replaces)
        if let source { try Self.check(target, keeps: source) }
        let parent = target.deletingLastPathComponent().path
        folder = parent + "/.sworm-\(UUID().uuidString)"
        url = URL(fileURLWithPath: folder + "/" + target.lastPathComponent)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            UnfinishedFolders.add(folder)
        } catch {
            throw ToolError(
                .file, "'\(parent)' cannot be written: \((error as NSError).localizedDescription)",
                hint: "the folder must exist and be writable")
        }
    }

    /// Creates a folder that is removed together with the unfinished store.
    func makeFolder() throws -> String {
        let inner = folder + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        return inner
    }

    /// An unfinished store leaves no files behind.
    deinit {
        UnfinishedFolders.remove(folder)
        if !keepsFolder { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Moves the old store aside and the new store to its final location. If this fails, the old store is moved back.
    func finish() throws {
        // The files at the target may have changed since the start.
        try Self.check(target, replaces: replaces)
        let hasOld = try settleOldStore()
        let (new, old) = (StoreFiles(url: url), StoreFiles(url: target))
        let newSupport = Self.support(new)
        var oldFiles = replaces ? [old.main, old.writeAheadLog, old.sharedMemory, old.rollbackJournal] : []
        if Self.kind(of: Self.support(old)) != nil {
            let owners = Self.others(sharing: target)
            if owners.isEmpty, hasOld {
                oldFiles.append(Self.support(old))
            } else if Self.kind(of: newSupport) != nil {
                throw ToolError(
                    .fileExists,
                    "the folder '\(Self.support(old))' already contains external data"
                        + (owners.first.map { ", of '\($0)'" } ?? ""),
                    hint: "choose a name that differs in more than its extension")
            }
        }
        // From here on, the folder may contain the old store.
        guard UnfinishedFolders.remove(folder), Self.kind(of: url.path) != nil else {
            throw ToolError(.file, "'\(target.path)' was not created: the run was interrupted", hint: "run it again")
        }
        var moved: [(from: String, to: String)] = []
        func move(_ from: String, _ to: String) throws {
            guard Self.kind(of: from) != nil else { return }
            try FileManager.default.moveItem(atPath: from, toPath: to)
            moved.append((from, to))
        }
        do {
            // A log of the old store must never be used with the new file.
            for (number, path) in oldFiles.enumerated() { try move(path, "\(folder)/old-\(number)") }
            try move(newSupport, Self.support(old))
            try move(new.main, old.main)
        } catch {
            for (from, to) in moved.reversed() {
                do { try FileManager.default.moveItem(atPath: to, toPath: from) } catch { keepsFolder = true }
            }
            let words = (error as NSError).localizedDescription
            throw ToolError(
                .file, "'\(target.path)' cannot be replaced: \(words)",
                hint: keepsFolder ? "the previous files are in '\(folder)'" : nil)
        }
    }

    /// Checks that no other connection has the old store open, and checkpoints its log.
    ///
    /// Changes that other processes commit to a replaced file would be lost.
    ///
    /// - Returns: Whether there is such a store.
    private func settleOldStore() throws -> Bool {
        guard replaces, let size = FileStamp(path: target.path)?.size, size > 0 else { return false }
        do {
            let connection = try Connection(
                .file(path: target.path), options: .init(access: .readWrite, busyTimeout: 1))
            // This mode requires exclusive access to the file, even if other connections are idle.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            try connection.begin(.exclusive)
            try connection.rollback()
        } catch let error as SQLiteError where error.isDamage {
            // A damaged store can be replaced, because no other connection can have it open.
        } catch let error as SQLiteError where error.isBusy {
            throw ToolError(
                .fileExists, "'\(target.path)' is open in another process and was not replaced",
                hint: "try again after it was closed, or choose another name")
        }
        return true
    }

    // MARK: Checks

    /// Checks that a store that must not be changed shares no files with the new one.
    private static func check(_ target: URL, keeps source: URL) throws {
        func isSame(_ one: String, as other: String) -> Bool {
            guard let stamp = FileStamp(path: one) else { return false }
            return stamp == FileStamp(path: other)
        }
        guard !isSame(target.path, as: source.path) else {
            throw ToolError(
                .fileExists, "'\(target.path)' is the damaged store itself", hint: "choose another name")
        }
        let sharesFolder =
            isSame(
                target.deletingLastPathComponent().path,
                as: source.resolvingSymlinksInPath().deletingLastPathComponent().path)
            && target.deletingPathExtension().lastPathComponent
                == source.resolvingSymlinksInPath().deletingPathExtension().lastPathComponent
        guard !sharesFolder || kind(of: support(StoreFiles(url: source))) == nil else {
            throw ToolError(
                .fileExists, "'\(source.path)' and '\(target.path)' would share an external data folder",
                hint: "choose a name that differs in more than its extension")
        }
    }

    private static func check(_ target: URL, replaces: Bool) throws {
        for ending in ["-wal", "-shm", "-journal"] where target.lastPathComponent.hasSuffix(ending) {
            throw ToolError(
                .fileExists, "'\(target.lastPathComponent)' is the name of an auxiliary file of SQLite",
                hint: "choose another name")
        }
        let files = StoreFiles(url: target)
        guard let kind = kind(of: target.path) else {
            // SQLite would treat it as the log of the new store.
            for log in [files.writeAheadLog, files.rollbackJournal] where self.kind(of: log) != nil {
                throw ToolError(
                    .fileExists, "there is a log '\(log)' without a store",
                    hint: "remove it, or choose another name")
            }
            return
        }
        guard kind != .typeDirectory else {
            throw ToolError(
                .fileExists, "'\(target.path)' is a folder",
                hint: "name the file of the new store, such as '\(target.appendingPathComponent("New.sqlite").path)'")
        }
        guard kind == .typeRegular else {
            throw ToolError(.fileExists, "'\(target.path)' is not a regular file", hint: "choose another name")
        }
        guard replaces else {
            throw ToolError(
                .fileExists, "the file '\(target.path)' already exists",
                hint: "choose another name, or replace it with --force")
        }
        do {
            try files.requireRemovable()
        } catch {
            throw ToolError(
                .fileExists, "'\(target.path)' is not a store and was not replaced",
                hint: "remove it, or choose another name")
        }
        let mirroringTable: String?
        do {
            // The tables count even if the metadata of the store are damaged.
            mirroringTable = try MirroringTables.first(in: files)
        } catch {
            throw ToolError(
                .fileExists,
                "'\(target.path)' was not replaced, because it is unknown whether it is mirrored to CloudKit: "
                    + (error.asCoreData?.message ?? (error as NSError).localizedDescription),
                hint: "try again when no other process uses it, or choose another name")
        }
        guard mirroringTable != nil else { return }
        throw ToolError(
            .fileExists,
            "'\(target.path)' is mirrored to CloudKit and was not replaced: changes that it has not uploaded would be lost, "
                + "and its records would no longer be those of its objects",
            hint: "choose another name; a backup that no app opens can be removed first")
    }

    /// Returns the type of the file at a path, without following a link, or nil if the file does not exist.
    private static func kind(of path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    /// Returns other files whose external data would be in the same folder. The folder has the file's name without its
    /// extension.
    private static func others(sharing target: URL) -> [String] {
        let folder = target.deletingLastPathComponent().path
        let stem = target.deletingPathExtension().lastPathComponent
        let files = StoreFiles(url: target)
        let own = [files.main, files.writeAheadLog, files.sharedMemory, files.rollbackJournal].map {
            ($0 as NSString).lastPathComponent
        }
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { name in
            let path = folder + "/" + name
            return (name as NSString).deletingPathExtension == stem && !own.contains(name)
                && FileKind(path: path) == .file && FilePath.isDatabase(URL(fileURLWithPath: path))
        }
    }

    private static func support(_ files: StoreFiles) -> String {
        (files.externalData as NSString).deletingLastPathComponent
    }
}
