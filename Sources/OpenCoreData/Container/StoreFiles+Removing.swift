import Foundation
import SwormSQLite

extension StoreFiles {
    /// Removes everything that belongs to a store that is not open. Files that are not there are passed over.
    ///
    /// The database goes last: what is left of an interrupted removal is a store that still opens.
    ///
    /// - Parameter isForced: Whether the file goes whatever is in it.
    /// - Throws: ``CoreDataError`` for anything but a regular file, and for a file that was no store; nothing is removed then.
    func removeAll(isForced: Bool) throws {
        try requireRemovable(isForced: isForced)
        let notes = [searchNote, SystemFileCalls.draft(of: searchNote)]
        for path in notes + [externalData, rollbackJournal, sharedMemory, writeAheadLog, main]
        where FileKind(itself: path) != nil {
            do {
                try calls.removeTree(path)
            } catch {
                throw CoreDataError(NSPersistentStoreOperationError, "Cannot remove the file “\(path)”.", cause: error)
            }
        }
    }

    /// Checks that the file may be removed as a store, or replaced by one.
    ///
    /// - Throws: ``CoreDataError`` where there is a folder, a device, a link or the like, and, unless it is forced, a file that
    ///   is no store, is not empty, and is not known to have been a store before it was damaged.
    package func requireRemovable(isForced: Bool = false) throws {
        let beside = [writeAheadLog, sharedMemory, rollbackJournal]
        for path in [given] + beside {
            guard let kind = FileKind(itself: path), kind != .file else { continue }
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "“\(path)” is \(kind.words), not a file of a store, and is not removed.")
        }
        guard !isForced, let stamp = FileStamp(path: main), stamp.size > 0, !isKnownStore else { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "“\(main)” is not a store of Core Data's, and is not removed. Remove the file by other means if it is not needed, or set \(NSPersistentStoreForceDestroyOption)."
        )
    }

    /// Whether the file is a store, or was one before it was damaged.
    private var isKnownStore: Bool {
        if HubRegistry.knows(main) { return true }
        var options = Connection.Options()
        options.access = .readOnly
        options.fileSystem = disk.fileSystem
        do {
            let connection = StoreConnection(try Connection(.file(path: main), options: options))
            return try connection.integer("SELECT 1 FROM sqlite_master WHERE name = 'Z_METADATA'") != nil
        } catch {
            return hasSignsOfStore
        }
    }

    /// Whether a file that SQLite cannot read has a log of SQLite's beside it, or the name of a table that every store has.
    private var hasSignsOfStore: Bool {
        let magic = head(of: writeAheadLog, count: 4)
        if magic == [0x37, 0x7F, 0x06, 0x82] || magic == [0x37, 0x7F, 0x06, 0x83] { return true }
        let head = head(of: main, count: 1 << 20)
        return ["Z_METADATA", "Z_PRIMARYKEY"].contains { Data(head).range(of: Data($0.utf8)) != nil }
    }

    private func head(of path: String, count: Int) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? handle.close() }
        return ((try? handle.read(upToCount: count)) ?? nil).map(Array.init) ?? []
    }
}
