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
                        cacheSizeKiB: options.cacheSizeKiB, fileSystem: files.disk.fileSystem)))
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

    /// Puts another file in the store's place. Whatever stops this, one of the two is there, whole. The disk may not know it
    /// yet when this returns.
    ///
    /// The log of the old file is emptied into it before, so that there is none that could be taken for the new one's.
    func replace(with path: String) throws {
        try CoreDataError.translating(while: "replace", path: files.main) {
            try connection.base.setJournalMode(.delete)
        }
        try files.take(path)
    }
}

extension StoreFiles {
    /// Gives a file the path of the store, beside which no log is left that could be taken for the file's.
    func take(_ path: String) throws {
        for rest in [writeAheadLog, sharedMemory, rollbackJournal] { calls.removeIfPresent(rest) }
        try calls.synchronize(folder)
        try calls.rename(path, to: main)
    }

    /// Returns when the file that was given the path of the store is there after a crash, too.
    func confirmReplacement() throws {
        do {
            try calls.synchronize(folder)
        } catch let error as CoreDataError {
            throw CoreDataError(
                error.errorCode,
                "The store “\(main)” was replaced, but after a crash the old one may be back: \(error.message) Nothing is missing in either.",
                cause: error)
        }
    }
}
