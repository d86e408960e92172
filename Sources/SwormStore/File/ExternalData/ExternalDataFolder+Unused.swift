import Foundation

// Files to which no row may refer.
extension ExternalDataFolder {
    /// Gives files the age of abandoned files, so that the next search finds them, regardless of the process that runs
    /// it.
    func markUnused(_ identifiers: some Sequence<UUID>) {
        for case let file? in identifiers.map(file) { try? calls.makeOld(file) }
    }

    /// Returns whether a file was last modified before a date.
    func isOlder(_ identifier: UUID, than date: Date) -> Bool {
        guard let stamp = file(identifier).flatMap({ FileStamp(pathOfPlainFile: $0) }) else { return false }
        return Double(stamp.seconds) < date.timeIntervalSince1970
    }

    /// Returns the files of a part of the folder that were last modified before a date.
    ///
    /// - Parameters:
    ///   - position: The file system's position of the entry to start with, or 0 for the first. A wrong position
    ///     changes only which part of the folder is searched.
    ///   - limit: The largest number of entries to inspect.
    /// - Returns: The files, and the position of the entry to continue with, which is 0 if there are no more entries.
    func files(olderThan date: Date, at position: Int, limit: Int) -> (files: Set<UUID>, next: Int) {
        guard let path, let folder = opendir(path) else { return ([], 0) }
        defer { closedir(folder) }
        if position != 0 { seekdir(folder, position) }
        var found: Set<UUID> = []
        for _ in 0..<limit {
            guard let entry = readdir(folder) else { return (found, 0) }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if let identifier = Self.identifier(ofName: name), isOlder(identifier, than: date) {
                found.insert(identifier)
            }
        }
        return (found, telldir(folder))
    }
}

extension StoreFiles {
    /// The hidden folder that contains the folder of external data.
    private var support: String { (externalData as NSString).deletingLastPathComponent }

    /// The file in which a search for unused files records its progress.
    var searchNote: String { (support as NSString).appendingPathComponent("_SEARCH") }

    /// Returns when all commits are on the disk: the log contains them, and no journal can undo them after a power
    /// failure.
    func synchronizeCommits() throws {
        for path in [writeAheadLog, rollbackJournal] where FileKind(path: path) != nil { try calls.synchronize(path) }
        try calls.synchronize(folder)
    }

    /// Whether the folder of external data exists and belongs to this path. A copy of a store may share another store's
    /// folder through a link.
    var hasOwnExternalData: Bool {
        [support, externalData].allSatisfy { path in
            var information = stat()
            return lstat(path, &information) == 0 && information.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR)
        }
    }

    /// Whether a file next to the store can be another store, judging by its name and size. The name of the external
    /// data folder does not include the extension, so both stores would use the same folder.
    ///
    /// The file is not opened, because closing it would release the locks of connections to it in this process.
    var sharesExternalData: Bool {
        let folder = (support as NSString).deletingLastPathComponent
        let stem = (support as NSString).lastPathComponent.dropFirst().dropLast("_SUPPORT".count)
        let beside = [writeAheadLog, sharedMemory, rollbackJournal].map { ($0 as NSString).lastPathComponent }
        let own = FileStamp(path: main)?.node
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains { name in
            guard (name as NSString).deletingPathExtension == stem, !beside.contains(name) else { return false }
            let path = (folder as NSString).appendingPathComponent(name)
            guard FileKind(path: path) == .file, let stamp = FileStamp(path: path) else { return false }
            return stamp.node != own && stamp.size > 0 && stamp.size % 512 == 0
        }
    }
}
