package import Foundation

/// The files and folders that belong to a store at a path.
package struct StoreFiles: Sendable, Hashable {
    /// The path of the main file, symbolic links followed: SQLite puts its other files beside the real one.
    package let main: String
    /// The path as it was given.
    let given: String
    /// How the files are changed.
    package let disk: StoreDisk

    package init(url: URL, disk: StoreDisk = .system) {
        self.disk = disk
        given = url.path(percentEncoded: false)
        main = url.resolvingSymlinksInPath().path(percentEncoded: false)
    }

    package static func == (first: Self, second: Self) -> Bool {
        first.main == second.main && first.given == second.given
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(main)
        hasher.combine(given)
    }

    package var calls: any FileCalls { disk.calls }

    package var writeAheadLog: String { main + "-wal" }
    package var sharedMemory: String { main + "-shm" }
    package var rollbackJournal: String { main + "-journal" }
    package var folder: String { (main as NSString).deletingLastPathComponent }

    /// The folder for the content of external binary values.
    ///
    /// It belongs to the name by which a store is opened. A store that is opened by a link mostly has it beside the real file
    /// all the same, where all others who open that one look for it.
    package var externalData: String {
        let own = Self.externalData(besides: given)
        return given == main || FileKind(path: own) != nil ? own : Self.externalData(besides: main)
    }

    private static func externalData(besides path: String) -> String {
        let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        let support = ((path as NSString).deletingLastPathComponent as NSString).appendingPathComponent(
            ".\(name)_SUPPORT")
        return (support as NSString).appendingPathComponent("_EXTERNAL_DATA")
    }

    /// Refuses a store whose file, or one that SQLite has beside it, is no regular file. To open
    /// a pipe would wait for ever.
    func refuseOtherKinds() throws {
        if let kind = FileKind(path: main), kind != .file {
            throw CoreDataError(
                NSPersistentStoreOpenError, "“\(main)” is \(kind.words), not the file of a store.",
                condition: .notAStore)
        }
        for (path, name) in [(writeAheadLog, "log"), (sharedMemory, "shared memory"), (rollbackJournal, "journal")] {
            guard let kind = FileKind(itself: path), kind != .file else { continue }
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "“\(path)” is \(kind.words), and would be taken for the \(name) of the store beside it. Remove it.")
        }
    }

    /// Whether the URL asks for a store that is only kept in memory, as Core Data's users do with `/dev/null`.
    package static func isMemory(_ url: URL) -> Bool { url.isFileURL && url.path(percentEncoded: false) == "/dev/null" }
}

/// What tells one state of a file from another without reading it.
package struct FileStamp: Sendable, Hashable {
    package var size: Int64
    package var seconds: Int64
    package var nanoseconds: Int64
    package var node: UInt64

    /// The stamp of a file, or nil where there is none.
    package init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// The stamp of a regular file, or nil for a link and anything else.
    init?(pathOfPlainFile path: String) {
        var information = stat()
        guard lstat(path, &information) == 0, information.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
            return nil
        }
        self.init(information)
    }

    private init(_ information: stat) {
        size = Int64(information.st_size)
        node = UInt64(information.st_ino)
        #if canImport(Darwin)
        seconds = Int64(information.st_mtimespec.tv_sec)
        nanoseconds = Int64(information.st_mtimespec.tv_nsec)
        #else
        seconds = Int64(information.st_mtim.tv_sec)
        nanoseconds = Int64(information.st_mtim.tv_nsec)
        #endif
    }

    /// The size, as far as a disk may have room for it: sums of those of sparse files would leave the numbers there are.
    var boundedSize: Int64 { min(size, 1 << 44) }

    /// Seconds since the file was written last.
    package var age: Double {
        Date().timeIntervalSince1970 - Double(seconds) - Double(nanoseconds) / 1e9
    }
}

extension StoreFiles {
    /// What the file system of a folder has free.
    static func freeRoom(in folder: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
