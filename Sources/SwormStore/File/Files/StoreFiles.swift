package import Foundation

/// The files and folders that belong to a store at a path.
package struct StoreFiles: Sendable, Hashable {
    /// The path of the main file after resolving symbolic links, because SQLite puts its other files next to the real
    /// one.
    package let main: String
    /// The path as it was given.
    let given: String
    /// The disk that performs the changes of the files.
    let disk: StoreDisk

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
    var folder: String { (main as NSString).deletingLastPathComponent }

    /// The folder for the content of external binary values.
    ///
    /// It belongs to the name with which a store is opened. However, a store that is opened through a link usually has
    /// the folder next to the real file, where other processes that open the real file expect it.
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

    /// Throws an error if the store's file, or one of SQLite's files next to it, is not a regular file. Opening a pipe
    /// would block forever.
    func refuseOtherKinds() throws {
        if let kind = FileKind(path: main), kind != .file {
            throw CoreDataError(
                NSPersistentStoreOpenError, "'\(main)' is \(kind.words), not a store file.",
                condition: .notAStore)
        }
        for (path, name) in [(writeAheadLog, "log"), (sharedMemory, "shared memory"), (rollbackJournal, "journal")] {
            guard let kind = FileKind(itself: path), kind != .file else { continue }
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "'\(path)' is \(kind.words), and has the name of the \(name) of the store. Remove it.")
        }
    }

    /// The URL of stores in memory.
    package static let memoryURL = URL(fileURLWithPath: "/dev/null")

    /// Returns whether the URL identifies a store in memory, which Core Data's users request with `/dev/null`.
    package static func isMemory(_ url: URL) -> Bool { url.isFileURL && url.path(percentEncoded: false) == "/dev/null" }

    /// Returns the name of a store in memory that is shared by all who use its name, which is the path below `/dev/null`;
    /// nil for other stores.
    package static func sharedMemoryName(_ url: URL) -> String? {
        guard url.isFileURL else { return nil }
        let path = url.path(percentEncoded: false)
        let name = path.hasPrefix("/dev/null/") ? path.dropFirst("/dev/null/".count) : ""
        return name.isEmpty ? nil : String(name)
    }

    /// Returns whether the URL identifies a store that has no file.
    package static func isFileless(_ url: URL) -> Bool { isMemory(url) || sharedMemoryName(url) != nil }
}

/// The attributes that distinguish one state of a file from another without reading it.
package struct FileStamp: Sendable, Hashable {
    package var size: Int64
    var seconds: Int64
    var nanoseconds: Int64
    var node: UInt64

    /// Creates the stamp of a file, or returns nil if there is no file.
    package init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        self.init(information)
    }

    /// Creates the stamp of a regular file, or returns nil for a link and anything else.
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

    /// The size, limited to what a disk can hold. The sum of the sizes of sparse files could overflow otherwise.
    var boundedSize: Int64 { min(size, 1 << 44) }

    /// The number of seconds since the file was last written.
    var age: Double {
        Date().timeIntervalSince1970 - Double(seconds) - Double(nanoseconds) / 1e9
    }
}

extension StoreFiles {
    /// Returns the free space of the file system that contains a folder.
    static func freeRoom(in folder: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
