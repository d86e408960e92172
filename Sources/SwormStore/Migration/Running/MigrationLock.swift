import Foundation
import SwormSQLite

/// An exclusive lock of a store's file: while it exists, no other connection and no other process reads or writes the
/// file.
final class MigrationLock {
    let files: StoreFiles
    let connection: StoreConnection

    /// Locks the file of a store.
    ///
    /// - Throws: ``CoreDataError`` if other connections have the store open for longer than the timeout.
    init(_ files: StoreFiles, options: StoreOptions) throws {
        self.files = files
        try files.refuseLongName()
        let deadline = Date().addingTimeInterval(options.busyTimeout)
        while true {
            let node = FileStamp(path: files.main)?.node
            let connection = try Self.connect(files, options: options)
            // Another migration may have replaced the file while this one waited for the lock.
            if node != nil, FileStamp(path: files.main)?.node == node {
                self.connection = connection
                return
            }
            guard Date() < deadline else {
                throw CoreDataError(
                    NSPersistentStoreTimeoutError,
                    "The store '\(files.main)' cannot be migrated: its file keeps being replaced. Try again.")
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
                        cacheSizeKiB: options.cacheSizeKiB, fileSystem: files.disk.fileSystem)))
            connection.base.watch = options.watch
            try connection.base.transaction(.exclusive) {}
            return connection
        } catch let error as SQLiteError where error.isBusy {
            throw CoreDataError(
                NSPersistentStoreTimeoutError,
                "The store '\(files.main)' cannot be migrated: another connection or process has it open. Close the other one, or raise the timeout. Nothing was changed.",
                cause: error)
        }
    }

    /// Replaces the store with another file. If this is interrupted, one of the two files is present and complete. The
    /// replacement may not have reached the disk yet when this returns.
    ///
    /// The log of the old file is checkpointed and deleted first, so that it cannot be mistaken for the log of the new
    /// one.
    func replace(with path: String) throws {
        try CoreDataError.translating(while: "replace", path: files.main) {
            try connection.base.setJournalMode(.delete)
        }
        try files.take(path)
    }
}

extension StoreFiles {
    /// Moves a file to the path of the store, after removing any log that could be mistaken for the file's own.
    func take(_ path: String) throws {
        for rest in [writeAheadLog, sharedMemory, rollbackJournal] { calls.removeIfPresent(rest) }
        try calls.synchronize(folder)
        try calls.rename(path, to: main)
    }

    /// Returns when the moved file is certain to be at the path of the store even after a crash.
    func confirmReplacement() throws {
        do {
            try calls.synchronize(folder)
        } catch let error as CoreDataError {
            throw CoreDataError(
                error.errorCode,
                "The store '\(main)' was replaced, but a crash could bring back the old store: \(error.message) Both are complete.",
                cause: error)
        }
    }
}
