import Foundation

extension StoreKind {
    /// Stores in SQLite files.
    static let sqlite = StoreKind(
        type: NSSQLiteStoreType, hasURL: true,
        isMissing: { SQLiteStore.isMissing(at: $0) },
        open: { try SQLiteStore.open(url: $0, model: $1, options: $2) },
        metadata: { try SQLiteStore.metadata(of: $0, options: $1) },
        setMetadata: { try SQLiteStore.setMetadata($1, of: $0, options: $2) },
        outdatedVersion: { try outdatedVersion(of: StoreFiles(url: $0, disk: $2.disk), model: $1, options: $2) },
        migrate: { migration in
            try StoreMigration(
                of: migration.url, from: migration.source, to: migration.target, mapping: migration.mapping,
                options: migration.options
            ) { try migration.progress($0.fraction) }.run()
        },
        copy: { try moved($0, to: $1, options: $2) },
        destroy: { try StoreFiles(url: $0, disk: $1.disk).removeAll(isForced: $2) },
        replace: { url, source, options in
            let replacement = try StoreReplacement(of: url, options: options, isMissingAllowed: true)
            try replacement.take(source)
            try replacement.finish()
        })

    /// In-memory stores. Closing one deletes its content.
    static let inMemory = StoreKind(
        type: NSInMemoryStoreType, hasURL: false,
        isMissing: { _ in true },
        open: { try SQLiteStore.inMemory(model: $1, options: $2) },
        metadata: { url, _ in throw noFile(url) },
        setMetadata: { url, _, _ in throw noFile(url) },
        outdatedVersion: { _, _, _ in nil },
        migrate: { throw noFile($0.url) },
        copy: { source, _, options in try movedToMemory(source, options: options) },
        destroy: { _, _, _ in },
        replace: { url, _, _ in throw noFile(url) })

    private static func outdatedVersion(
        of files: StoreFiles, model: CompiledModel, options: StoreOptions
    ) throws -> [String: Data]? {
        let inspection = try SQLiteStore.inspect(
            files, largestCopy: options.largestInspectionCopy, options: options
        ).inspection
        let hashes = inspection.metadata.versionHashes
        // A store without hashes is rejected when it is opened.
        guard !hashes.isEmpty else { return nil }
        guard hashes == model.versionHashes else {
            try StoreMigration.refuseMirrored(inspection, files: files, options: options)
            return hashes
        }
        StoreMigration.removeRemains(beside: files)
        var options = options
        options.busyTimeout = 0
        // An index only makes requests faster, so that a store that is busy now can get it when it is opened next.
        _ = try? MissingIndexes.make(in: files, inspection, model: model, options: options)
        return nil
    }

    private static func moved(_ store: any ObjectStore, to url: URL, options: StoreOptions) throws -> any ObjectStore {
        #if PostgreSQL
        if store is PostgresStore {
            _ = try StoreCopying.copy(store, to: url, options: options)
            return try SQLiteStore.open(url: url, model: store.model, options: options)
        }
        #endif
        return try local(store).moved(to: url, options: options)
    }

    private static func movedToMemory(_ store: any ObjectStore, options: StoreOptions) throws -> any ObjectStore {
        #if PostgreSQL
        if store is PostgresStore { return try StoreCopying.copyToMemory(store, options: options) }
        #endif
        return try local(store).movedToMemory(options: options)
    }

    /// Returns a store whose database this process can copy.
    private static func local(_ store: any ObjectStore) throws -> SQLiteStore {
        if let store = store as? SQLiteStore { return store }
        throw CoreDataError(
            NSPersistentStoreInvalidTypeError,
            "A store of another kind cannot be moved into a file or into memory. Copy its objects instead.")
    }

    private static func noFile(_ url: URL) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreInvalidTypeError,
            "An in-memory store cannot have the file '\(url.path)'. Use the type NSSQLiteStoreType for stores in files."
        )
    }
}
