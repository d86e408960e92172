import Foundation
import SwormSQLite

extension SQLiteStore {
    /// Creates a store at a URL without a file, or in an empty file.
    ///
    /// Everything is written in one transaction. If the process is killed, the file contains either the complete store,
    /// or nothing, in which case the next attempt treats it as empty.
    static func create(
        url: URL, files: StoreFiles, model: CompiledModel, options: StoreOptions
    ) throws -> SQLiteStore {
        guard FileManager.default.fileExists(atPath: files.folder) else {
            throw CoreDataError(
                CocoaError.Code.fileNoSuchFile.rawValue,
                "The store '\(files.main)' cannot be created: its folder does not exist. Create the folder first.")
        }
        guard model.storeHashes == nil else {
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "The store '\(files.main)' cannot be created with a model that was inferred from another store: an inferred model is incomplete, and the new store would be mistaken for a store of the real model. Use the model that the other store was written with."
            )
        }
        try checkWritable(files)
        let existed = FileStamp(path: files.main) != nil
        let metadata = StoreMetadata(
            newStoreOf: StoreMetadata.sqliteType, model: model, identifier: options.identifier ?? UUID())
        let layout = StoreLayout(model: model)
        do {
            return try CoreDataError.translating(while: "make", path: files.main) {
                let connection = try connect(files, options: options, access: .readWriteCreate)
                // Both settings take effect only before the first table is created.
                try connection.base.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL")
                let isOurs = try connection.base.transaction(.exclusive) { () throws -> Bool in
                    guard try connection.integer("SELECT count(*) FROM sqlite_master") == 0 else { return false }
                    try fill(connection, metadata: metadata, model: model, layout: layout, options: options)
                    return true
                }
                guard isOurs else {
                    // Another process has just created a store. It is used if it fits the model.
                    return try openExisting(url: url, files: files, model: model, options: options)
                }
                let isShared = try useJournal(of: options, on: connection, files: files)
                let pool = try makePool(files, writer: connection, isShared: isShared, options: options)
                let open = OpenStore(
                    pool: pool, model: model, layout: layout, identifier: metadata.identifier, place: nil,
                    path: files.main, writesMirroredStores: options.writesMirroredStores)
                return SQLiteStore(
                    url: url, files: files, model: model, options: options, metadata: metadata, open: open)
            }
        } catch {
            removeFailure(files, existed: existed)
            throw error
        }
    }

    /// Writes the tables, the metadata and the key counters of a new store.
    static func fill(
        _ connection: StoreConnection, metadata: StoreMetadata, model: CompiledModel, layout: StoreLayout,
        options: StoreOptions
    ) throws {
        let schema = StoreSchema(model: model, layout: layout)
        for text in schema.statements() { try connection.base.execute(text) }
        for compiled in schema.primaryKeyStatements() {
            var statement = try connection.base.statement(compiled.sql)
            try statement.bind(compiled.bindings)
            try statement.run()
        }
        if options.tracksHistory { try HistorySchema.write(connection, model: model) }
        try connection.run(
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)",
            binding: [.text(metadata.identifier), .blob(metadata.propertyList)])
        if let cache = options.modelCache {
            try connection.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", binding: [.blob(cache)])
        }
    }

    /// Removes the remains of a store that could not be created, unless another process has created a store there
    /// concurrently. A file that existed before is truncated instead of removed.
    private static func removeFailure(_ files: StoreFiles, existed: Bool) {
        guard FileStamp(path: files.main) != nil, holdsNothing(files) else { return }
        if existed {
            try? files.calls.truncate(files.main, to: 0)
        } else {
            files.calls.removeIfPresent(files.main)
        }
        for path in [files.rollbackJournal, files.writeAheadLog, files.sharedMemory] {
            files.calls.removeIfPresent(path)
        }
    }

    /// Returns whether a file is not a database, or has no tables. Such a file remains if the disk is full when a
    /// transaction commits.
    private static func holdsNothing(_ files: StoreFiles) -> Bool {
        do {
            let connection = try StoreConnection(
                Connection(
                    .file(path: files.main),
                    options: .init(access: .readOnly, busyTimeout: 0, fileSystem: files.disk.fileSystem)))
            return try connection.integer("SELECT count(*) FROM sqlite_master") == 0
        } catch let error as SQLiteError {
            return error.code == SQLiteError.notADatabase
        } catch {
            return false
        }
    }
}

// Empty files.
extension SQLiteStore {
    /// Returns whether opening a URL would create a new store.
    static func isMissing(at url: URL) -> Bool {
        let files = StoreFiles(url: url)
        return FileStamp(path: files.main).map { isBlank(files, stamp: $0) } ?? true
    }

    /// Returns whether a file exists but contains nothing, for example after an interrupted creation, or after `touch`.
    static func isBlank(_ files: StoreFiles, stamp: FileStamp) -> Bool {
        guard (FileStamp(path: files.writeAheadLog)?.size ?? 0) == 0 else { return false }
        if stamp.size == 0 { return true }
        if let pages = files.pagesBeforeJournal { return pages < 2 }
        return stamp.size == 4096 && isFirstPage(files)
    }

    /// Returns whether a file consists of the single page that SQLite writes before the first table, with a new store's
    /// settings.
    private static func isFirstPage(_ files: StoreFiles) -> Bool {
        func isFirstPage(_ connection: Connection) throws -> Bool {
            let connection = StoreConnection(connection)
            return try connection.integer("PRAGMA page_count") == 1 && connection.integer("PRAGMA auto_vacuum") == 2
        }
        do {
            return try isFirstPage(
                Connection(
                    .file(path: files.main),
                    options: .init(access: .readOnly, busyTimeout: 0, fileSystem: files.disk.fileSystem)))
        } catch let error as SQLiteError where error.isBusy {
            // Another process may be creating a store in the file. If this process creates one, it waits for that
            // process.
            return true
        } catch let error as SQLiteError where [SQLiteError.readOnly, SQLiteError.cannotOpen].contains(error.code) {
            // SQLite must examine a journal first, which is done in a copy.
            return (try? isFirstPage(ReadOnlyAccess(files: files).connect(timeout: 0, cacheSizeKiB: 64))) ?? false
        } catch {
            return false
        }
    }
}

extension StoreFiles {
    /// The number of pages that the database had before an interrupted transaction, or nil if no journal rolls one
    /// back.
    fileprivate var pagesBeforeJournal: Int? {
        guard let stamp = FileStamp(pathOfPlainFile: rollbackJournal), stamp.size > 0,
            let file = FileHandle(forReadingAtPath: rollbackJournal)
        else { return nil }
        defer { try? file.close() }
        let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        guard let header = try? file.read(upToCount: 28), header.count == 28, header.starts(with: mark) else {
            return nil
        }
        // The header contains the number of pages in the journal, a random number, the number of pages of the database,
        // the sector size and the page size. If the sizes are missing, the header was not synchronized, and SQLite
        // rolls nothing back.
        let numbers = stride(from: 16, to: 28, by: 4).map { header[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        return numbers[1] >= 32 && numbers[2] >= 512 ? numbers[0] : nil
    }
}
