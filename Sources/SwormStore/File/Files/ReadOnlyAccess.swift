import Foundation
import SwormSQLite

/// The location from which a store is read that must remain unchanged, to the byte, with no file created next to it.
///
/// SQLite alone does not guarantee that: a read-only connection to a file in WAL mode creates a `-shm` and an empty
/// `-wal` if they are missing, and does not delete them; it never moves the log into the file. Therefore:
///
/// - If a `-shm` and a `-wal` exist, another connection has the store open, or was terminated while it had the store
///   open. A plain read-only connection is used as well, which writes its read marks into the `-shm` and changes
///   nothing else. No file reveals whether the files were only left behind, and copying every store that is in use
///   would be worse.
/// - If there is only a `-wal` with content, or a rollback journal, both files are copied to a private folder and read
///   there.
/// - If there is neither, a file in WAL mode is opened as immutable. In that case no connection has it open, and a
///   connection that opens it later cannot change the file without changing its modification time, which is compared
///   after every read.
/// - A file in rollback mode is read by a plain read-only connection, whose locks create no files.
/// - If the files change all the time, because many connections open and close the store, a plain read-only connection
///   is used, too.
/// - A file that this process has open in rollback mode is opened only by SQLite, because closing another descriptor
///   would release the locks of all connections to the file.
package struct ReadOnlyAccess: Sendable {
    enum Manner: Sendable { case direct, immutable, copy(TemporaryFolder) }

    let manner: Manner
    let files: StoreFiles
    /// The state of the files when they were opened, or nil if SQLite itself detects changes.
    private let state: FilesState?

    /// The path at which SQLite opens the database.
    var path: String {
        if case .copy(let folder) = manner { return folder.file("store") }
        return files.main
    }

    /// - Parameters:
    ///   - largestCopy: The size above which a connection that may create a `-shm` next to the file is preferred to a
    ///     copy.
    ///   - isWatched: Whether the instance is retained, so that later changes of the files must be detected.
    init(files: StoreFiles, largestCopy: Int64 = .max, isWatched: Bool = true) throws {
        self.files = files
        if HubRegistry.mayLock(files.main) {
            manner = .direct
            state = nil
            return
        }
        guard let start = FilesState(files) else { throw Self.missing(files) }
        let log = FileStamp(path: files.writeAheadLog)
        let hasLogContent = (log?.size ?? 0) > 0
        if log != nil, FileStamp(path: files.sharedMemory) != nil, Self.canJoin(files) {
            manner = .direct
            state = nil
        } else if hasLogContent || (FileStamp(path: files.rollbackJournal)?.size ?? 0) > 0 {
            if start.totalSize > largestCopy {
                manner = .direct
                state = nil
            } else if let (folder, copied) = try Self.copy(files) {
                manner = .copy(folder)
                state = copied
            } else {
                manner = .direct
                state = nil
            }
        } else {
            let header = try DatabaseHeader(files)
            try header.refuseTruncation(of: files, size: start.main.size)
            guard header.usesLog, isWatched else {
                manner = header.usesLog ? .immutable : .direct
                state = nil
                return
            }
            state = try Self.settled(files)
            manner = state == nil ? .direct : .immutable
        }
    }

    /// Whether the files are still those that were read.
    var isCurrent: Bool { state == nil || state == FilesState(files) }

    func connect(timeout: Double, cacheSizeKiB: Int) throws -> Connection {
        var options = Connection.Options()
        options.access = .readOnly
        options.busyTimeout = timeout
        options.cacheSizeKiB = cacheSizeKiB
        options.fileSystem = files.disk.fileSystem
        if case .immutable = manner { options.isImmutable = true }
        return try Connection(.file(path: path), options: options)
    }

    static func missing(_ files: StoreFiles) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadNoSuchFile.rawValue,
            "There is no store at '\(files.main)', and the options do not allow creating one.")
    }

    /// Returns whether a read-only connection can be used alongside the connections that have the store open.
    private static func canJoin(_ files: StoreFiles) -> Bool {
        var options = Connection.Options()
        options.access = .readOnly
        options.fileSystem = files.disk.fileSystem
        do {
            _ = try StoreConnection(Connection(.file(path: files.main), options: options)).integer(
                "SELECT count(*) FROM sqlite_master")
            return true
        } catch let error as SQLiteError {
            // These codes mean that a read-only connection cannot use the shared memory. Any other error occurs again,
            // and is reported, when the store is read.
            return error.code != SQLiteError.cannotOpen && error.code != SQLiteError.readOnly
        } catch {
            return true
        }
    }

    /// Returns the state of the files as soon as the last change is old enough that the next one is certain to change
    /// their modification times, or nil if there is no such moment.
    private static func settled(_ files: StoreFiles) throws -> FilesState? {
        for _ in 0..<50 {
            guard let state = FilesState(files) else { throw missing(files) }
            let age = state.age
            if age > 0.02 || age < 0 { return state }
            Thread.sleep(forTimeInterval: 0.021 - age)
        }
        return nil
    }

    /// Copies the files so that the copy has one consistent state, which requires that no file changed during the copy.
    /// Returns nil if the files changed during each attempt.
    private static func copy(_ files: StoreFiles) throws -> (TemporaryFolder, FilesState)? {
        for _ in 0..<10 {
            guard let state = try settled(files) else { return nil }
            let folder = try TemporaryFolder(files.disk)
            do {
                try folder.copy(files.main, as: "store")
                if state.log != nil { try folder.copy(files.writeAheadLog, as: "store-wal") }
                if state.journal != nil { try folder.copy(files.rollbackJournal, as: "store-journal") }
            } catch {
                if FilesState(files) != state { continue }
                throw CoreDataError(
                    (error as? CocoaError)?.errorCode ?? CocoaError.Code.fileReadUnknown.rawValue,
                    "The store '\(files.main)' has changes in its log, and the private copy that is needed to read them cannot be created: \(error.localizedDescription)",
                    cause: error)
            }
            guard FilesState(files) == state else { continue }
            if state.journal != nil { try rollBack(folder) }
            return (folder, state)
        }
        return nil
    }

    /// Rolls back an interrupted transaction in the copy.
    private static func rollBack(_ folder: TemporaryFolder) throws {
        var options = Connection.Options()
        options.access = .readWrite
        _ = try StoreConnection(Connection(.file(path: folder.file("store")), options: options)).integer(
            "SELECT count(*) FROM sqlite_master")
    }
}

/// The state of a store's files, as far as the file system reveals it.
private struct FilesState: Sendable, Hashable {
    let main: FileStamp
    let log: FileStamp?
    let journal: FileStamp?

    init?(_ files: StoreFiles) {
        guard let main = FileStamp(path: files.main) else { return nil }
        self.main = main
        // An empty log has no content, and may appear and disappear.
        log = FileStamp(path: files.writeAheadLog).flatMap { $0.size > 0 ? $0 : nil }
        journal = FileStamp(path: files.rollbackJournal).flatMap { $0.size > 0 ? $0 : nil }
    }

    var totalSize: Int64 { main.size + (log?.size ?? 0) + (journal?.size ?? 0) }
    var age: Double { min(main.age, log?.age ?? .infinity, journal?.age ?? .infinity) }
}
