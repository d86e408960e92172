#if PostgreSQL
package import Foundation
import SwormPostgres
import SwormPredicates
import SwormSQLite

/// Copies of stores from one kind to another, row by row: keys, versions and the order of relationships stay.
package enum StoreCopying {
    /// Copies a store into a new store on a server, in one transaction.
    ///
    /// - Parameters:
    ///   - store: A store in a file, in memory or on a server.
    ///   - options: The options of the new store: its identifier and the archived model.
    ///   - replacing: Whether a store that exists is replaced. Otherwise it is an error.
    package static func copy(
        _ store: any ObjectStore, to serverOptions: PostgresOptions, options: StoreOptions, replacing: Bool = false
    ) throws -> CopyReport {
        let opening = try ServerOpening(model: store.model, options: options, serverOptions: serverOptions)
        defer { try? opening.pool.close(within: .zero) }
        let session = try store.beginSession()
        defer { session.end() }
        return try opening.copy(source(session), metadata: store.metadata, replacing: replacing)
    }

    /// Copies a store into a new file.
    ///
    /// - Parameters:
    ///   - url: The URL of the file, which must not exist.
    ///   - options: The options of the new store: its identifier and the archived model.
    package static func copy(_ store: any ObjectStore, to url: URL, options: StoreOptions) throws -> CopyReport {
        let files = StoreFiles(url: url, disk: options.disk)
        try SQLiteStore.checkWritable(files)
        guard SQLiteStore.isMissing(at: url) else {
            throw CoreDataError(
                CocoaError.Code.fileWriteFileExists.rawValue,
                "The store cannot be copied to '\(files.main)': the file exists. Remove it first, or choose another name."
            )
        }
        let session = try store.beginSession()
        defer { session.end() }
        let metadata = try metadata(of: store, type: StoreMetadata.sqliteType, options)
        do {
            return try CoreDataError.translating(while: "make", path: files.main) {
                let connection = try SQLiteStore.connect(files, options: options, access: .readWriteCreate)
                try connection.base.execute("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL")
                return try connection.base.transaction(.exclusive) {
                    try fill(
                        connection, from: session, of: store, metadata: metadata, options: options,
                        external: ExternalDataFolder(path: files.externalData, disk: options.disk)
                    ).report
                }
            }
        } catch {
            try? files.removeAll(isForced: true)
            throw error
        }
    }

    /// Creates a store in memory with the content of a store, and an identifier of its own.
    static func copyToMemory(_ store: any ObjectStore, options: StoreOptions) throws -> SQLiteStore {
        let session = try store.beginSession()
        defer { session.end() }
        return try SQLiteStore.inMemory(model: store.model, options: options) { connection in
            let metadata = try metadata(of: store, type: StoreMetadata.inMemoryType, options)
            let filled = try connection.base.transaction(.immediate) {
                try fill(
                    connection, from: session, of: store, metadata: metadata, options: options,
                    external: ExternalDataFolder(path: nil))
            }
            return (metadata, filled.layout)
        }
    }

    private static func metadata(
        of store: any ObjectStore, type: String, _ options: StoreOptions
    ) throws -> StoreMetadata {
        try StoreMetadata(newStoreOf: type, model: store.model, identifier: options.identifier ?? UUID())
            .replacingApplicationKeys(with: store.metadata)
    }

    private static func fill(
        _ connection: StoreConnection, from session: any StoreSession, of store: any ObjectStore,
        metadata: StoreMetadata, options: StoreOptions, external: ExternalDataFolder
    ) throws -> (report: CopyReport, layout: StoreLayout) {
        let layout = StoreLayout(model: store.model)
        try SQLiteStore.fill(connection, metadata: metadata, model: store.model, layout: layout, options: options)
        var report = CopyReport()
        // The purposes of the columns do not depend on the kind of store.
        let tables = CopiedTable.tables(of: store.model, layout)
        try FileCopyTarget(connection: connection, model: store.model, layout: layout, external: external).write(
            source(session), tables: tables, &report)
        return (report, layout)
    }

    private static func source(_ session: any StoreSession) throws -> any CopySource {
        if let session = session as? PostgresSession { return ServerCopySource(session: session) }
        if let session = session as? SQLiteSession { return FileCopySource(session: session) }
        throw CoreDataError(NSPersistentStoreInvalidTypeError, "A store of this kind cannot be copied.")
    }
}
#endif
