import Foundation

/// The hidden folder beside a store in which the migrated copy is made. It is on the same file system, so that the copy
/// can replace the store in one step.
///
/// The name is always the same until the copy is about to replace the store, so that the next migration of the store
/// finds and removes the leftovers of an interrupted one. Only code that has locked the store exclusively may touch the
/// folder.
struct MigrationFolder {
    private(set) var path: String
    /// The name without the suffix that is appended at the end.
    private let common: String
    private let disk: StoreDisk
    private var calls: any FileCalls { disk.calls }
    /// The database in the folder.
    var database: StoreFiles { StoreFiles(url: URL(fileURLWithPath: path + "/store"), disk: disk) }

    init(of files: StoreFiles) {
        common = files.folder + "/." + Self.shortened((files.main as NSString).lastPathComponent) + Self.ending
        path = common
        disk = files.disk
    }

    /// Returns the name of a store, or a hash of it if the name is too long for the additional prefix and suffix.
    private static func shortened(_ name: String) -> String {
        let rest = 1 + ending.utf8.count + separator.utf8.count + digits
        guard name.utf8.count + rest > StoreFiles.longestName else { return name }
        return SHA2.sha256(Array(name.utf8)).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    /// Whether a migration has left a folder, under any name.
    var exists: Bool { FileKind(path: common) != nil || !withdrawn.isEmpty }

    /// Recreates the folder.
    func make(for files: StoreFiles) throws {
        remove()
        do {
            try calls.makeFolder(path, permissions: 0o700)
        } catch {
            throw CoreDataError(
                (error as? CoreDataError)?.errorCode ?? CocoaError.Code.fileWriteUnknown.rawValue,
                "The store '\(files.main)' cannot be migrated: the folder '\(path)' for the migrated copy cannot be created: \(error.localizedDescription)",
                cause: error)
        }
    }

    /// Gives the folder a name that no other migration uses.
    ///
    /// After a file has replaced the store, the exclusive lock on the store is lost, and the next migration may already
    /// have created its own folder. With a unique name this one can still be removed.
    mutating func withdraw() throws {
        let own = common + Self.separator + UUID().uuidString.prefix(Self.digits)
        try calls.rename(path, to: own)
        path = own
    }

    private static let ending = ".migrating"
    private static let separator = "-"
    private static let digits = 8

    /// The folders that have a unique name.
    private var withdrawn: [String] {
        let prefix = (common as NSString).lastPathComponent + Self.separator
        let folder = (common as NSString).deletingLastPathComponent
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { name in
            // The name of another store may start with the whole name of this one.
            name.hasPrefix(prefix) && name.dropFirst(prefix.count).count == Self.digits
                && name.dropFirst(prefix.count).allSatisfy(\.isHexDigit)
        }.map { folder + "/" + $0 }
    }

    /// The path of the note that lists the files of external data to add and to remove with the new store.
    var note: String { path + "/files" }

    /// Writes a note that lists the files of external data to add and to remove, before the first of them is touched.
    ///
    /// - Parameters:
    ///   - made: The file that will replace the store.
    ///   - arriving: The files that are added to the store's folder for it.
    ///   - leaving: The files that are no longer needed once it has replaced the store.
    func note(_ made: StoreFiles, arriving: some Collection<UUID>, leaving: some Collection<UUID>) throws {
        guard !arriving.isEmpty || !leaving.isEmpty, let node = FileStamp(path: made.main)?.node else { return }
        let lines = ["\(node)"] + arriving.map { "+" + $0.uuidString } + leaving.map { "-" + $0.uuidString }
        try calls.replaceFile(Data(lines.joined(separator: "\n").utf8), at: note)
        try calls.synchronize(path)
    }

    /// Removes the leftovers of an interrupted migration.
    ///
    /// As long as the new store is still in this folder, it has not replaced the old one, and the old one does not need
    /// the files that were added to its folder for the new one. Otherwise the files to remove with the old one can be
    /// deleted. Whatever the note states, another copy of either store may have been moved to its path since then, so
    /// the files that the present store references are retained.
    ///
    /// - Parameter connection: A connection to the store; nil if there is no store.
    func removeLeftovers(of files: StoreFiles, _ connection: StoreConnection?) {
        for path in withdrawn + [common] where FileKind(path: path) != nil {
            var folder = self
            folder.path = path
            folder.removeLeftover(of: files, connection)
        }
    }

    private func removeLeftover(of files: StoreFiles, _ connection: StoreConnection?) {
        if let note = try? String(contentsOfFile: note, encoding: .utf8) {
            var lines = note.split(separator: "\n")[...]
            let isMadeHere = lines.popFirst().map { holds(node: String($0)) } ?? false
            let noted = lines.filter { !isMadeHere || $0.hasPrefix("+") }
                .compactMap { UUID(uuidString: String($0.dropFirst())) }
            // If there is no store to query, it may have been moved temporarily, and return.
            let named: Set<UUID>? =
                if let connection { try? connection.namedExternalFiles() } else { isMadeHere ? [] : nil }
            // The note is retained until it can be determined which files are needed.
            guard let named else { return }
            ExternalDataFolder(path: files.externalData, disk: disk).remove(Set(noted).subtracting(named))
        }
        remove()
    }

    private func holds(node: String) -> Bool {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).contains {
            FileStamp(path: path + "/" + $0).map { "\($0.node)" } == node
        }
    }

    /// Removes the folder. If that fails, the folder only uses disk space, and the next migration tries again.
    func remove() {
        // The note is removed first, because without the files that it describes its content is misleading.
        calls.removeIfPresent(note)
        try? calls.removeTree(path)
    }
}

extension StoreFiles {
    /// The size in bytes of the database including its log.
    var size: Int64 { (FileStamp(path: main)?.size ?? 0) + (FileStamp(path: writeAheadLog)?.size ?? 0) }

    /// Throws an error if the given number of bytes does not fit on the disk.
    ///
    /// - Parameters:
    ///   - options: The options that determine the free disk space.
    ///   - place: The folder for the copy; nil for the store's own folder.
    func requireRoom(_ bytes: Int64, options: StoreOptions, in place: String? = nil) throws {
        // A file system that does not report its free space may still have enough.
        guard let free = options.freeRoom(place ?? folder), free < bytes else { return }
        let room = place.map { "in '\($0)'" } ?? "in the folder of the store"
        throw CoreDataError(
            CocoaError.Code.fileWriteOutOfSpace.rawValue,
            "The store '\(main)' cannot be migrated: it needs about \(bytes) bytes of disk space \(room), and \(free) are free. Nothing was changed. Free disk space and try again."
        )
    }

    /// The maximum length of a file name, in bytes.
    static let longestName = 255

    /// Throws an error if the store's log could not be checkpointed at the end because the name of the journal, which
    /// SQLite needs for that, would be too long.
    func refuseLongName() throws {
        let (name, journal) = ((main as NSString).lastPathComponent, (rollbackJournal as NSString).lastPathComponent)
        guard journal.utf8.count > Self.longestName else { return }
        throw CoreDataError(
            CocoaError.Code.fileWriteInvalidFileName.rawValue,
            "The store '\(main)' cannot be migrated: its name has \(name.utf8.count) bytes, and SQLite can name the journal of a store only if its name has at most \(Self.longestName - journal.utf8.count + name.utf8.count) bytes. Rename the store together with its hidden support folder."
        )
    }
}
