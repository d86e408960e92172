package import Foundation
import SwormSQLite

extension SQLiteStore {
    /// Opens the store at a URL, or creates it if it does not exist and the options allow that.
    ///
    /// A store that does not fit the model, or is damaged, is rejected and not changed. The URL `/dev/null` opens a
    /// store in memory, and a URL below it one that is shared by this name.
    ///
    /// - Throws: ``CoreDataError`` with the reason.
    package static func open(
        url: URL, model: CompiledModel, options: StoreOptions = StoreOptions()
    ) throws -> SQLiteStore {
        if StoreFiles.isMemory(url) { return try inMemory(url: url, model: model, options: options) }
        if let name = StoreFiles.sharedMemoryName(url) {
            return try SharedMemory.open(named: name, url: url, model: model, options: options)
        }
        guard url.isFileURL else {
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "A store needs the URL of a file, and '\(url.absoluteString)' is not a file URL.")
        }
        let files = StoreFiles(url: url, disk: options.disk)
        try files.refuseOtherKinds()
        if let stamp = FileStamp(path: files.main), !isBlank(files, stamp: stamp) {
            return try openExisting(url: url, files: files, model: model, options: options)
        }
        if options.isReadOnly || !options.createsMissingFile {
            guard FileStamp(path: files.main) != nil else { throw ReadOnlyAccess.missing(files) }
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "The file '\(files.main)' is empty: it contains no store, and the options do not allow creating one.",
                condition: .notAStore)
        }
        return try create(url: url, files: files, model: model, options: options)
    }

    /// Returns the metadata of a store, which may have been written with any model. The store is not changed.
    static func metadata(of url: URL, options: StoreOptions = StoreOptions()) throws -> [String: Any] {
        if let name = StoreFiles.sharedMemoryName(url) { return try SharedMemory.metadata(named: name, url: url) }
        return try inspect(StoreFiles(url: url, disk: options.disk), options: options).inspection.metadata.dictionary
    }

    // MARK: Parts

    static func openExisting(
        url: URL, files: StoreFiles, model: CompiledModel, options: StoreOptions
    ) throws -> SQLiteStore {
        var options = options
        func make(_ metadata: StoreMetadata, _ open: OpenStore) -> SQLiteStore {
            SQLiteStore(url: url, files: files, model: model, options: options, metadata: metadata, open: open)
        }
        if !options.isReadOnly {
            do {
                let (metadata, open) = try openForWriting(files, model: model, options: options)
                let store = make(metadata, open)
                try store.maintain()
                store.searchExternalData()
                return store
            } catch let mirrored as MirroredStore {
                options.isReadOnly = true
                options.mirroringTable = mirrored.table
            }
        }
        let (metadata, open) = try openForReading(files, model: model, options: options)
        return make(metadata, open)
    }

    /// Opens the file of a store for inspection. The file must exist and must not be empty.
    static func look(
        _ files: StoreFiles
    ) throws -> (inspection: StoreInspection, place: ReadOnlyAccess, connection: StoreConnection) {
        try inspect(files, isWatched: true, options: StoreOptions())
    }

    private static func requireContent(_ files: StoreFiles) throws {
        try files.refuseOtherKinds()
        guard let stamp = FileStamp(path: files.main) else { throw ReadOnlyAccess.missing(files) }
        guard !isBlank(files, stamp: stamp) else {
            throw CoreDataError(
                NSPersistentStoreOpenError, "The file '\(files.main)' is empty: it contains no store.",
                condition: .notAStore)
        }
    }

    /// Reads the metadata and the schema of a file without changing the file.
    package static func inspect(
        _ files: StoreFiles, largestCopy: Int64 = .max, isWatched: Bool = false, options: StoreOptions
    ) throws -> (inspection: StoreInspection, place: ReadOnlyAccess, connection: StoreConnection) {
        try requireContent(files)
        return try CoreDataError.translating(while: "open", path: files.main) {
            do {
                let place = try ReadOnlyAccess(files: files, largestCopy: largestCopy, isWatched: isWatched)
                let connection = StoreConnection(
                    try place.connect(timeout: options.busyTimeout, cacheSizeKiB: options.cacheSizeKiB))
                return (try StoreInspection(connection, path: files.main), place, connection)
            } catch let error as SQLiteError where error.code == SQLiteError.notADatabase {
                // SQLite reports the same error for a file of another kind and for a store with one wrong byte in its
                // header.
                guard let damage = try DatabaseHeader(files).damage else { throw error }
                throw CoreDataError(
                    CocoaError.Code.fileReadCorruptFile.rawValue,
                    "The header of the store '\(files.main)' is damaged: \(damage). Restore the store from a backup.",
                    cause: SQLiteError(code: SQLiteError.corrupt, message: error.message))
            }
        }
    }

    static func openForReading(
        _ files: StoreFiles, model: CompiledModel, options: StoreOptions
    ) throws -> (StoreMetadata, OpenStore) {
        let (inspection, place, connection) = try inspect(files, isWatched: true, options: options)
        try inspection.check(against: model, path: files.main, ignoresVersion: options.ignoresVersion)
        if options.tracksHistory, options.mirroringTable == nil { try inspection.refuseNewHistory(path: files.main) }
        let layout = try StoreLayout(model: model, existing: ExistingSchema(tables: inspection.columns))
        try CoreDataError.translating(while: "open", path: files.main) {
            try StoreFunctions.register(on: connection.base)
        }
        let file = HubMembership(path: files.main, slotLimit: options.slotLimit)
        let pool = ConnectionPool(
            kind: .readersOnly, file: file, writer: nil, firstReader: connection,
            timeout: options.busyTimeout, idleReaders: options.idleReaders
        ) {
            let base = try place.connect(timeout: options.busyTimeout, cacheSizeKiB: options.cacheSizeKiB)
            try StoreFunctions.register(on: base)
            return StoreConnection(base)
        }
        let open = OpenStore(
            pool: pool, model: model, layout: layout, identifier: inspection.metadata.identifier, place: place,
            path: files.main, isMirrored: inspection.mirroringTable != nil)
        return (inspection.metadata, open)
    }

    static func openForWriting(
        _ files: StoreFiles, model: CompiledModel, options: StoreOptions
    ) throws -> (StoreMetadata, OpenStore) {
        // The inspection's connection and copy are released here, before the file is opened for writing.
        let inspection = try inspect(files, largestCopy: options.largestInspectionCopy, options: options).inspection
        if model.storeHashes != nil { try checkWriting(inspection, files: files, options: options) }
        try inspection.check(against: model, path: files.main, ignoresVersion: options.ignoresVersion)
        let layout = try StoreLayout(model: model, existing: ExistingSchema(tables: inspection.columns))
        let mirroringTable = inspection.mirroringTable
        if let mirroringTable, !options.writesMirroredStores { throw MirroredStore(table: mirroringTable) }
        try checkWritable(files)
        // An existing history is continued regardless of the option, and needs the columns that the model requires.
        // Changes of a mirrored store must be recorded in the history, because CloudKit does not see them otherwise.
        let keepsHistory = options.tracksHistory || inspection.keepsHistory || mirroringTable != nil
        let pool = try CoreDataError.translating(while: "open", path: files.main) { () throws -> ConnectionPool in
            let writer = try connect(files, options: options, access: .readWrite)
            if mirroringTable != nil {
                try HistorySchema.refuseExportedNumbers(
                    writer, model: model, identifier: inspection.metadata.identifier, path: files.main)
            }
            let isShared = try useJournal(of: options, on: writer, files: files)
            if keepsHistory { try HistorySchema.add(to: writer, model: model) }
            return try makePool(files, writer: writer, isShared: isShared, options: options)
        }
        let limits = model.storeHashes.map { _ in
            InferredLimits(inspection, model: model, layout: layout)
        }
        let open = OpenStore(
            pool: pool, model: model, layout: layout, identifier: inspection.metadata.identifier, place: nil,
            path: files.main, isMirrored: mirroringTable != nil, writesMirroredStores: options.writesMirroredStores,
            limits: limits)
        return (inspection.metadata, open)
    }

    /// Throws an error if a store must not be opened for writing with a model that was inferred from it: if the option
    /// is missing, or if saving would have to write data that such a model does not describe.
    private static func checkWriting(
        _ inspection: StoreInspection, files: StoreFiles, options: StoreOptions
    ) throws {
        func refuse(_ reason: String) -> CoreDataError {
            CoreDataError(
                NSPersistentStoreOpenError,
                "The store '\(files.main)' cannot be written with a model that was inferred from its tables: \(reason). Open it read-only, or with its real model."
            )
        }
        guard options.writesWithInferredModel else {
            throw refuse("data that such a model does not describe would be lost")
        }
        if inspection.keepsHistory || options.tracksHistory || inspection.mirroringTable != nil {
            throw refuse("its history identifies properties by their index in the real model")
        }
        if FileManager.default.fileExists(atPath: files.externalData) {
            throw refuse("it has external data files, and the tables do not show which attribute they belong to")
        }
    }

    static func makePool(
        _ files: StoreFiles, writer: StoreConnection, isShared: Bool, options: StoreOptions
    ) throws -> ConnectionPool {
        // A frame is a page with a header of 24 bytes.
        let frame = Int64(try writer.integer("PRAGMA page_size") ?? 4096) + 24
        let file = HubMembership(
            path: files.main, slotLimit: options.slotLimit, logLimit: Int(clamping: options.logLimit / frame))
        guard let file, !writer.base.hasMoved else {
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "The file '\(files.main)' was moved, removed or replaced while it was being opened. Open it again.")
        }
        if isShared { writer.base.notesLog() }
        return ConnectionPool(
            kind: isShared ? .writerAndReaders : .single, file: file, writer: writer,
            timeout: options.busyTimeout, idleReaders: options.idleReaders,
            makeWriter: {
                let writer = try connect(files, options: options, access: .readWrite)
                // The file does not record which of the two kinds of rollback journals is used.
                _ = try useJournal(of: options, on: writer, files: files)
                if isShared { writer.base.notesLog() }
                return writer
            }
        ) {
            // Readers are not opened read-only, because the last connection to close moves the log into the file.
            let reader = try connect(files, options: options, access: .readWrite)
            reader.base.notesLog()
            try reader.base.execute("PRAGMA query_only = ON")
            return reader
        }
    }

    static func connect(
        _ files: StoreFiles, options: StoreOptions, access: Connection.Access
    ) throws -> StoreConnection {
        let connection = try StoreConnection(
            Connection(
                .file(path: files.main),
                options: .init(
                    access: access, busyTimeout: options.busyTimeout, synchronous: .full,
                    cacheSizeKiB: options.cacheSizeKiB, fileSystem: files.disk.fileSystem)))
        if options.synchronous != .full, try connection.base.journalMode() == .wal {
            try connection.base.setSynchronous(options.synchronous)
        }
        // SQLite's automatic checkpoints do not wait for the turn. Without a log, this setting has no effect.
        try connection.base.execute("PRAGMA wal_autocheckpoint = 0")
        connection.base.watch = options.watch
        try StoreFunctions.register(on: connection.base, changes: connection.changes)
        try limit(connection, by: options)
        return connection
    }

    static func limit(_ connection: StoreConnection, by options: StoreOptions) throws {
        // When the log restarts, SQLite truncates its file to this length.
        try connection.base.execute("PRAGMA journal_size_limit = \(options.logLimit)")
        if let pages = options.maximumPageCount { try connection.base.execute("PRAGMA max_page_count = \(pages)") }
    }

    /// Sets the requested journal mode of a file.
    ///
    /// Reduced synchronization applies only to a write-ahead log: with a rollback journal that is only partly on the
    /// disk, SQLite could damage an intact file.
    ///
    /// - Returns: Whether the file uses a write-ahead log. Otherwise, for example if the file system does not support
    ///   one, readers and writers take turns on one connection.
    static func useJournal(
        of options: StoreOptions, on connection: StoreConnection, files: StoreFiles
    ) throws -> Bool {
        guard options.journalMode == .wal else {
            try connection.base.setSynchronous(.full)
            try connection.base.setJournalMode(options.journalMode)
            return false
        }
        do {
            try connection.base.setJournalMode(.wal)
            try connection.base.setSynchronous(options.synchronous)
            // An empty journal can remain after an attempt to change the journal mode has failed.
            if FileKind(path: files.rollbackJournal) != nil { files.calls.removeIfPresent(files.rollbackJournal) }
            return true
        } catch let error as SQLiteError where error.code == SQLiteError.error {
            return false
        }
    }

    static func checkWritable(_ files: StoreFiles) throws {
        for path in [files.folder, files.main] where !FileManager.default.isWritableFile(atPath: path) {
            guard FileManager.default.fileExists(atPath: path) else { continue }
            throw CoreDataError(
                CocoaError.Code.fileWriteNoPermission.rawValue,
                "The store '\(files.main)' cannot be opened for writing: '\(path)' is not writable. Open the store read-only, or change the permissions."
            )
        }
    }
}
