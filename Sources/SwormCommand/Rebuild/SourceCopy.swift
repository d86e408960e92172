import Foundation
import OpenCoreData
import SwormSQLite
import SwormStore

/// A consistent copy of the files of a damaged store. The store itself is only read.
enum SourceCopy {
    /// Copies the file of a store, its log and its rollback journal, and rolls back the transaction of the journal.
    ///
    /// - Parameters:
    ///   - source: The file of the store.
    ///   - folder: An empty folder.
    /// - Returns: The file of the copy.
    /// - Throws: ``ToolError`` if another process keeps writing to the store.
    static func make(of source: URL, in folder: String) throws -> URL {
        let files = StoreFiles(url: source)
        let copy = StoreFiles(url: URL(fileURLWithPath: folder + "/Damaged.sqlite"))
        // Opened before the lock is acquired and closed after it is released, because closing any descriptor of a file
        // releases the locks that the process has on it.
        let main = try FileHandle(forReadingFrom: URL(fileURLWithPath: files.main))
        defer { try? main.close() }
        let lock = try ReadingLock(files)
        defer { lock?.end() }
        let parts = [
            (files.main, copy.main), (files.rollbackJournal, copy.rollbackJournal),
            (files.writeAheadLog, copy.writeAheadLog),
        ]
        for attempt in 1...5 {
            let before = parts.map { FileStamp(path: $0.0) }
            // A log of an earlier attempt must never be used with a newer file.
            for (_, to) in parts { try? FileManager.default.removeItem(atPath: to) }
            try copyReadable(main, to: copy.main)
            for (from, to) in parts.dropFirst() where FileKind(itself: from) == .file {
                let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: from))
                defer { try? source.close() }
                try copyReadable(source, to: to)
            }
            if lock != nil || before == parts.map({ FileStamp(path: $0.0) }) { break }
            if attempt == 5 { throw isWritten(source) }
        }
        if FileStamp(path: copy.rollbackJournal)?.size ?? 0 > 0 {
            // SQLite rolls back the journal, regardless of other damage.
            let connection = try? Connection(.file(path: copy.main), options: .init(access: .readWrite))
            _ = try? connection?.execute("SELECT count(*) FROM sqlite_master")
        }
        return URL(fileURLWithPath: copy.main)
    }

    private static func isWritten(_ source: URL) -> ToolError {
        ToolError(
            .file, "'\(source.path)' is being written by another process",
            hint: "close the program that uses it, and try again")
    }

    /// Copies the bytes of a file. Unreadable bytes are replaced by zeros.
    private static func copyReadable(_ source: FileHandle, to copy: String) throws {
        _ = FileManager.default.createFile(atPath: copy, contents: nil)
        let target = try FileHandle(forWritingTo: URL(fileURLWithPath: copy))
        defer { try? target.close() }
        let (block, sector) = (1 << 20, 512)
        let size = try source.seekToEnd()
        var offset: UInt64 = 0
        while offset < size {
            try target.seek(toOffset: offset)
            var count = min(block, Int(size - offset))
            if let bytes = read(source, at: offset, count: count) {
                // The file has become shorter.
                if bytes.isEmpty { break }
                count = bytes.count
                if bytes.contains(where: { $0 != 0 }) { try target.write(contentsOf: bytes) }
            } else {
                for part in stride(from: 0, to: count, by: sector) {
                    guard let bytes = read(source, at: offset + UInt64(part), count: min(sector, count - part)) else {
                        continue
                    }
                    try target.seek(toOffset: offset + UInt64(part))
                    try target.write(contentsOf: bytes)
                }
            }
            offset += UInt64(count)
        }
        try target.truncate(atOffset: offset)
    }

    /// Returns nil if the disk reports an error.
    private static func read(_ handle: FileHandle, at offset: UInt64, count: Int) -> Data? {
        do {
            try handle.seek(toOffset: offset)
            return try handle.read(upToCount: count) ?? Data()
        } catch {
            return nil
        }
    }

    /// A read transaction that keeps a store's file and log consistent with each other.
    private struct ReadingLock {
        private let connection: Connection

        /// Returns nil if no process can be writing, or if the file is too damaged for a transaction.
        init?(_ files: StoreFiles) throws {
            // Without the shared memory file, no process has a store with a log open. Opening the store would create
            // that file.
            let hasLog = FileKind(itself: files.writeAheadLog) != nil
            if hasLog, FileKind(itself: files.sharedMemory) == nil { return nil }
            do {
                connection = try Connection(.file(path: files.main), options: .init(access: .readOnly, busyTimeout: 5))
                try connection.begin(.deferred)
                try connection.execute("SELECT count(*) FROM sqlite_master")
            } catch let error as SQLiteError where error.isBusy {
                throw SourceCopy.isWritten(URL(fileURLWithPath: files.main))
            } catch is SQLiteError {
                return nil
            }
        }

        func end() { try? connection.rollback() }
    }
}
