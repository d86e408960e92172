import Foundation
import SwormSQLite

/// A store's file for one alone: as long as this is there, no other connection and no other process reads or writes it.
final class MigrationLock {
    let files: StoreFiles
    let connection: StoreConnection

    /// - Throws: ``CoreDataError`` when others have the store open for longer than the timeout.
    init(_ files: StoreFiles, options: StoreOptions) throws {
        self.files = files
        try files.refuseLongName()
        let deadline = Date().addingTimeInterval(options.busyTimeout)
        while true {
            let node = FileStamp(path: files.main)?.node
            let connection = try Self.connect(files, options: options)
            // Another migration may have put another file in its place while this one was waited for.
            if node != nil, FileStamp(path: files.main)?.node == node {
                self.connection = connection
                return
            }
            guard Date() < deadline else {
                throw CoreDataError(
                    NSPersistentStoreTimeoutError,
                    "The store “\(files.main)” cannot be migrated: its file is replaced again and again. Try again.")
            }
        }
    }

    private static func connect(_ files: StoreFiles, options: StoreOptions) throws -> StoreConnection {
        do {
            let connection = StoreConnection(
                try Connection(
                    .file(path: files.main),
                    options: .init(
                        access: .readWrite, busyTimeout: options.busyTimeout, isExclusive: true, synchronous: .full,
                        cacheSizeKiB: options.cacheSizeKiB)))
            connection.base.watch = options.watch
            try connection.base.transaction(.exclusive) {}
            return connection
        } catch let error as SQLiteError where error.isBusy {
            throw CoreDataError(
                NSPersistentStoreTimeoutError,
                "The store “\(files.main)” cannot be migrated: another connection or process has it open. Close the other one, or raise the timeout. Nothing was changed.",
                cause: error)
        }
    }

    /// Puts another file in the store's place. Whatever stops this, one of the two is there, whole.
    ///
    /// The log of the old file is emptied into it before, so that there is none that could be taken for the new one's.
    func replace(with path: String) throws {
        try CoreDataError.translating(while: "replace", path: files.main) {
            try connection.base.setJournalMode(.delete)
        }
        for rest in [files.writeAheadLog, files.sharedMemory, files.rollbackJournal] { _ = unlink(rest) }
        try StoreFiles.synchronize(files.folder)
        guard rename(path, files.main) == 0 else { throw StoreFiles.systemError("put in the place of the store", path) }
        // The new file is in its place now, whether or not the disk knows it yet.
        try? StoreFiles.synchronize(files.folder)
    }
}
