import Foundation
import SwormSQLite

/// Where a store is read that must stay as it is, to the byte, with nothing put beside it.
///
/// What SQLite does by itself: a read-only connection to a file in WAL mode makes a `-shm` and an empty `-wal` where they are
/// missing, and leaves them; it never moves the log into the file. So:
///
/// - where a `-shm` and a `-wal` are there already, somebody has the store open (or was stopped while having it open), and a
///   plain read-only connection joins in, which writes the marks of its reading into the `-shm` and nothing elsewhere. Whether
///   it was only left behind shows in no file, and a copy of every store that is in use would be worse;
/// - where there is a `-wal` with content alone, or a rollback journal, both files are copied to a private folder and read there;
/// - where there is neither, a file in WAL mode is opened as immutable. Nobody has it open then, and whoever opens it later
///   cannot change the file without changing its time of modification, which is compared after every read;
/// - a file in rollback mode is read by a plain read-only connection, whose locks make nothing;
/// - where the files change all the time, as they do while many open and close the store, a plain read-only connection joins in,
///   too;
/// - a file that this process has open in rollback mode is opened by SQLite alone: a descriptor of ours would, when it is closed,
///   end the locks of all connections to the file.
package struct ReadingPlace: Sendable {
    enum Manner: Sendable { case direct, immutable, copy(TemporaryFolder) }

    let manner: Manner
    let files: StoreFiles
    /// The state of the files at the time; nil where SQLite itself looks after changes.
    private let state: FilesState?

    /// The path at which SQLite opens the database.
    var path: String {
        if case .copy(let folder) = manner { return folder.file("store") }
        return files.main
    }

    /// - Parameters:
    ///   - largestCopy: Above this size a connection is preferred that may make a `-shm` beside the file.
    ///   - isWatched: Whether the place is kept, and later changes of the files must show.
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
            "There is no store at “\(files.main)”, and it was not asked to make one.")
    }

    /// Whether a read-only connection can take part beside those that have the store open.
    private static func canJoin(_ files: StoreFiles) -> Bool {
        var options = Connection.Options()
        options.access = .readOnly
        options.fileSystem = files.disk.fileSystem
        do {
            _ = try StoreConnection(Connection(.file(path: files.main), options: options)).integer(
                "SELECT count(*) FROM sqlite_master")
            return true
        } catch let error as SQLiteError {
            // These say that the shared memory cannot be used by somebody who may not write. Everything else is found
            // again, and reported, by whoever reads.
            return error.code != SQLiteError.cannotOpen && error.code != SQLiteError.readOnly
        } catch {
            return true
        }
    }

    /// The state of the files, once the last change is so long ago that the next one is sure to show in their times; nil where
    /// there is no such moment.
    private static func settled(_ files: StoreFiles) throws -> FilesState? {
        for _ in 0..<50 {
            guard let state = FilesState(files) else { throw missing(files) }
            let age = state.age
            if age > 0.02 || age < 0 { return state }
            Thread.sleep(forTimeInterval: 0.021 - age)
        }
        return nil
    }

    /// Copies the files so that the copy shows one state: it counts only if nothing changed in that time. Nil where something always
    /// did.
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
                    "The store “\(files.main)” has changes in a log beside it, and the private copy that is needed to read them cannot be made: \(error.localizedDescription)",
                    cause: error)
            }
            guard FilesState(files) == state else { continue }
            if state.journal != nil { try rollBack(folder) }
            return (folder, state)
        }
        return nil
    }

    /// Undoes, in the copy, a transaction that was cut off.
    private static func rollBack(_ folder: TemporaryFolder) throws {
        var options = Connection.Options()
        options.access = .readWrite
        _ = try StoreConnection(Connection(.file(path: folder.file("store")), options: options)).integer(
            "SELECT count(*) FROM sqlite_master")
    }
}

/// The state of a store's files, as far as the file system tells.
private struct FilesState: Sendable, Hashable {
    let main: FileStamp
    let log: FileStamp?
    let journal: FileStamp?

    init?(_ files: StoreFiles) {
        guard let main = FileStamp(path: files.main) else { return nil }
        self.main = main
        // An empty log says nothing, and may come and go.
        log = FileStamp(path: files.writeAheadLog).flatMap { $0.size > 0 ? $0 : nil }
        journal = FileStamp(path: files.rollbackJournal).flatMap { $0.size > 0 ? $0 : nil }
    }

    var totalSize: Int64 { main.size + (log?.size ?? 0) + (journal?.size ?? 0) }
    var age: Double { min(main.age, log?.age ?? .infinity, journal?.age ?? .infinity) }
}
