import Foundation
import SwormSQLite

extension StoreFiles {
    /// Removes all files of a store that is not open. Missing files are ignored.
    ///
    /// The database is removed last, so that an interrupted removal leaves a store that can still be opened.
    ///
    /// - Parameter isForced: Whether to remove the file regardless of its content.
    /// - Throws: ``CoreDataError`` if an item is not a regular file, or if the file was not a store. No file is removed
    ///   then.
    package func removeAll(isForced: Bool) throws {
        if given != main { try requirePlainFile(given) }
        try requireRemovable(isForced: isForced)
        // The folder is kept if a store beside this one uses it too.
        let external =
            sharesExternalData ? [] : [searchNote, SystemFileCalls.draft(of: searchNote), externalData]
        for path in external + [rollbackJournal, sharedMemory, writeAheadLog, main]
        where FileKind(itself: path) != nil {
            do {
                try calls.removeTree(path)
            } catch {
                throw CoreDataError(NSPersistentStoreOperationError, "Cannot remove the file '\(path)'.", cause: error)
            }
        }
    }

    /// Checks that the file can be removed as a store, or replaced by one.
    ///
    /// - Parameters:
    ///   - isForced: Whether any regular file can be removed.
    ///   - timeout: The time to wait for a lock, in seconds.
    /// - Throws: ``CoreDataError`` if an item is not a regular file, with the condition `timedOut` if the file is
    ///   locked, or, unless `isForced` is true, if the file is not a store, is not empty, and is not known to have been
    ///   a store before it was damaged.
    package func requireRemovable(isForced: Bool = false, timeout: Double = 0) throws {
        for path in [main, writeAheadLog, sharedMemory, rollbackJournal] { try requirePlainFile(path) }
        guard !isForced, let stamp = FileStamp(path: main), !HubRegistry.isOpen(main),
            !SQLiteStore.isBlank(self, stamp: stamp), try !isKnownStore(timeout)
        else { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "'\(main)' is not a Core Data store and was not removed. Remove the file yourself if it is not needed, or set \(NSPersistentStoreForceDestroyOption)."
        )
    }

    private func requirePlainFile(_ path: String) throws {
        guard let kind = FileKind(itself: path), kind != .file else { return }
        throw CoreDataError(
            NSPersistentStoreOperationError, "'\(path)' is \(kind.words), not a file of a store, and was not removed.")
    }

    /// Returns whether the file is a store, or was a store before it was damaged.
    private func isKnownStore(_ timeout: Double) throws -> Bool {
        var options = Connection.Options()
        options.access = .readOnly
        options.busyTimeout = timeout
        options.fileSystem = disk.fileSystem
        // Without a log no connection has it open, and a connection that looks for a log would create files beside it.
        options.isImmutable = [writeAheadLog, sharedMemory, rollbackJournal].allSatisfy { FileKind(itself: $0) == nil }
        do {
            let connection = StoreConnection(try Connection(.file(path: main), options: options))
            return try connection.integer("SELECT 1 FROM sqlite_master WHERE name = 'Z_METADATA'") != nil
        } catch let error as SQLiteError where error.isDamage {
            return hasSignsOfStore
        } catch let error as SQLiteError {
            throw CoreDataError(error, while: "remove", path: main)
        }
    }

    /// Whether an unreadable file, or the write-ahead log beside it, contains the name of a table that every store has.
    ///
    /// Used only for a file that SQLite reports as damaged. Closing a file releases all locks of the process on it, but
    /// no connection of this process has locks on such a file.
    private var hasSignsOfStore: Bool {
        let log = head(of: writeAheadLog, count: 16 << 20)
        if log.starts(with: [0x37, 0x7F, 0x06]), namesTables(log) { return true }
        let pages = head(of: main, count: 1 << 20)
        // A plain text file can contain the name of such a table, too.
        let isBinary = pages.starts(with: "SQLite format 3\0".utf8) || pages.prefix(4096).contains(0)
        return isBinary && namesTables(pages)
    }

    private func namesTables(_ bytes: Data) -> Bool {
        ["Z_METADATA", "Z_PRIMARYKEY"].contains { bytes.range(of: Data($0.utf8)) != nil }
    }

    private func head(of path: String, count: Int) -> Data {
        guard let handle = FileHandle(forReadingAtPath: path) else { return Data() }
        defer { try? handle.close() }
        return ((try? handle.read(upToCount: count)) ?? nil) ?? Data()
    }
}
