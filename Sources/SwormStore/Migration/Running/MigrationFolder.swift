import Foundation

/// The hidden folder beside a store in which the migrated copy is made: on the same file system, so that it can take the
/// store's place at once.
///
/// The name is always the same, until the copy is to take the store's place. So whoever migrates the store next finds what
/// a migration that was cut off has left, and removes it. Only who has the store to himself may touch it.
struct MigrationFolder {
    private(set) var path: String
    /// The name without what is put behind it at the end.
    private let common: String
    private let disk: StoreDisk
    private var calls: any FileCalls { disk.calls }
    /// The database in it.
    var database: StoreFiles { StoreFiles(url: URL(fileURLWithPath: path + "/store"), disk: disk) }

    init(of files: StoreFiles) {
        common = files.folder + "/." + Self.shortened((files.main as NSString).lastPathComponent) + Self.ending
        path = common
        disk = files.disk
    }

    /// The name of a store, or what stands for one that leaves no room for what is put around it.
    private static func shortened(_ name: String) -> String {
        let rest = 1 + ending.utf8.count + separator.utf8.count + digits
        guard name.utf8.count + rest > StoreFiles.longestName else { return name }
        return SHA2.sha256(Array(name.utf8)).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    /// Whether a migration has left anything, under whichever name.
    var exists: Bool { FileKind(path: common) != nil || !withdrawn.isEmpty }

    /// Makes the folder anew.
    func make(for files: StoreFiles) throws {
        remove()
        do {
            try calls.makeFolder(path, permissions: 0o700)
        } catch {
            throw CoreDataError(
                (error as? CoreDataError)?.errorCode ?? CocoaError.Code.fileWriteUnknown.rawValue,
                "The store “\(files.main)” cannot be migrated: the folder “\(path)”, in which the migrated copy is made, cannot be made: \(error.localizedDescription)",
                cause: error)
        }
    }

    /// Gives the folder a name that no other migration uses.
    ///
    /// Who has put a file in the store's place has the store to himself no more: the next one may have made its folder
    /// already. Under a name of its own this one can still be removed.
    mutating func withdraw() throws {
        let own = common + Self.separator + UUID().uuidString.prefix(Self.digits)
        try calls.rename(path, to: own)
        path = own
    }

    private static let ending = ".migrating"
    private static let separator = "-"
    private static let digits = 8

    /// The folders that have a name of their own.
    private var withdrawn: [String] {
        let prefix = (common as NSString).lastPathComponent + Self.separator
        let folder = (common as NSString).deletingLastPathComponent
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { name in
            // The name of another store may begin with all of this one's.
            name.hasPrefix(prefix) && name.dropFirst(prefix.count).count == Self.digits
                && name.dropFirst(prefix.count).allSatisfy(\.isHexDigit)
        }.map { folder + "/" + $0 }
    }

    /// Where it is noted which files of external data come and go with the new store.
    var note: String { path + "/files" }

    /// Notes which files of external data come and go, before the first of them does.
    ///
    /// - Parameters:
    ///   - made: The file that is to take the store's place.
    ///   - arriving: Those that are put into the store's folder for it.
    ///   - leaving: Those that nobody needs when it is in its place.
    func note(_ made: StoreFiles, arriving: some Collection<UUID>, leaving: some Collection<UUID>) throws {
        guard !arriving.isEmpty || !leaving.isEmpty, let node = FileStamp(path: made.main)?.node else { return }
        let lines = ["\(node)"] + arriving.map { "+" + $0.uuidString } + leaving.map { "-" + $0.uuidString }
        try calls.replaceFile(Data(lines.joined(separator: "\n").utf8), at: note)
        try calls.synchronize(path)
    }

    /// Removes what a migration that was cut off has left.
    ///
    /// As long as the new store is still here, it did not take the old one's place, and the old one needs nothing of what was
    /// put into its folder for the new one. When it is not, what was to go with the old one can go, too. But whatever the
    /// note says, somebody may have put another copy of either store in the place since, so what that one names stays.
    ///
    /// - Parameter connection: Reads the store. Nil where there is none.
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
            // Where there is no store to ask, it may be somewhere else, and come back.
            let named: Set<UUID>? =
                if let connection { try? connection.namedExternalFiles() } else { isMadeHere ? [] : nil }
            // The note stays until it can be told what is needed.
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

    /// What cannot be removed only takes room; the next migration tries again.
    func remove() {
        // The note first: without the files that it is about, it must not be believed.
        calls.removeIfPresent(note)
        try? calls.removeTree(path)
    }
}

extension StoreFiles {
    /// The size of the database with its log.
    package var size: Int64 { (FileStamp(path: main)?.size ?? 0) + (FileStamp(path: writeAheadLog)?.size ?? 0) }

    /// Refuses to begin what will not fit on the disk.
    ///
    /// - Parameters:
    ///   - options: Tell how much is free.
    ///   - place: The folder that takes the copy; nil for the store's own.
    package func requireRoom(_ bytes: Int64, _ options: StoreOptions, in place: String? = nil) throws {
        // A file system that does not say how full it is may still have room.
        guard let free = options.freeRoom(place ?? folder), free < bytes else { return }
        let room = place.map { "in “\($0)”" } ?? "beside the store"
        throw CoreDataError(
            CocoaError.Code.fileWriteOutOfSpace.rawValue,
            "The store “\(main)” cannot be migrated: it takes about \(bytes) bytes \(room), and \(free) are free. Nothing was changed; make room and try again."
        )
    }

    /// The bytes that the name of a file can have.
    static let longestName = 255

    /// Refuses to begin with a store whose log could not be emptied in the end: SQLite needs a journal for that.
    func refuseLongName() throws {
        let (name, journal) = ((main as NSString).lastPathComponent, (rollbackJournal as NSString).lastPathComponent)
        guard journal.utf8.count > Self.longestName else { return }
        throw CoreDataError(
            CocoaError.Code.fileWriteInvalidFileName.rawValue,
            "The store “\(main)” cannot be migrated: its name has \(name.utf8.count) bytes, and with more than \(Self.longestName - journal.utf8.count + name.utf8.count) SQLite has no name for the journal beside it. Rename the store, together with its hidden support folder."
        )
    }
}
