import Foundation
import SwormSQLite

extension StoreFiles {
    /// Removes everything that belongs to a store that is not open. Files that are not there are passed over.
    ///
    /// The database goes last: what is left of an interrupted removal is a store that still opens.
    ///
    /// - Parameter isForced: Whether the file goes whatever is in it.
    /// - Throws: ``CoreDataError`` for anything but a regular file, and for a file that was no store; nothing is removed then.
    package func removeAll(isForced: Bool) throws {
        if given != main { try requirePlainFile(given) }
        try requireRemovable(isForced: isForced)
        // A folder that another store beside this one uses, too, stays.
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

    /// Checks that the file may be removed as a store, or replaced by one.
    ///
    /// - Parameters:
    ///   - isForced: Whether any regular file may be.
    ///   - timeout: The seconds to wait for a lock.
    /// - Throws: ``CoreDataError`` where there is a folder, a device, a link or the like; with the condition `timedOut` where the
    ///   file is locked; and, unless it is forced, for a file that is no store, is not empty, and is not known to have been a
    ///   store before it was damaged.
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

    /// Whether the file is a store, or was one before it was damaged.
    private func isKnownStore(_ timeout: Double) throws -> Bool {
        var options = Connection.Options()
        options.access = .readOnly
        options.busyTimeout = timeout
        options.fileSystem = disk.fileSystem
        // Without a log nobody has it open, and a connection that looks for one would leave files beside it.
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

    /// Whether a file that SQLite cannot read, or the log of SQLite's beside it, has the name of a table that every store has.
    ///
    /// Only for a file that SQLite takes for damaged, so that no connection of this process has locks on it that closing it here
    /// would end.
    private var hasSignsOfStore: Bool {
        let log = head(of: writeAheadLog, count: 16 << 20)
        if log.starts(with: [0x37, 0x7F, 0x06]), namesTables(log) { return true }
        let pages = head(of: main, count: 1 << 20)
        // A text can speak of such a table, too.
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
