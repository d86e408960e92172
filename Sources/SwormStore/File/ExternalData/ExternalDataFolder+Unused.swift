import Foundation

// Files that no row may name.
extension ExternalDataFolder {
    /// Gives files the age of those that were left behind, so that the next search finds them, whichever process makes it.
    func markUnused(_ identifiers: some Sequence<UUID>) {
        for case let file? in identifiers.map(file) { try? calls.makeOld(file) }
    }

    /// Whether a file was last modified before a moment.
    func isOlder(_ identifier: UUID, than date: Date) -> Bool {
        guard let stamp = file(identifier).flatMap({ FileStamp(pathOfPlainFile: $0) }) else { return false }
        return Double(stamp.seconds) < date.timeIntervalSince1970
    }

    /// The files of a part of the folder that were last modified before a moment.
    ///
    /// - Parameters:
    ///   - position: The entry to begin with, as the file system knows it; 0 for the first. A wrong one only changes which part
    ///     is looked at.
    ///   - limit: The largest number of entries that are looked at.
    /// - Returns: The files, and the entry to go on with; 0 where there are no more.
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
    /// The hidden folder that holds the folder of external data.
    private var support: String { (externalData as NSString).deletingLastPathComponent }

    /// The file in which a search for unused files notes how far it has come.
    var searchNote: String { (support as NSString).appendingPathComponent("_SEARCH") }

    /// Returns when all that was committed is on the disk: a log has it, and no journal can undo it after a power failure.
    func synchronizeCommits() throws {
        for path in [writeAheadLog, rollbackJournal] where FileKind(path: path) != nil { try calls.synchronize(path) }
        try calls.synchronize(folder)
    }

    /// Whether the folder of external data is there, and belongs to this path: a copy of a store may borrow another one's by
    /// a link.
    var hasOwnExternalData: Bool {
        [support, externalData].allSatisfy { path in
            var information = stat()
            return lstat(path, &information) == 0 && information.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR)
        }
    }

    /// Whether a file beside the store, by its name and size, can be another store. The folder of external data has the name
    /// without its extension, so that both would use it.
    ///
    /// The file is not opened: closing it would end the locks of connections to it in this process.
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
