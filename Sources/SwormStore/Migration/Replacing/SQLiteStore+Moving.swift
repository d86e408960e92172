import Foundation
import SwormSQLite
import SwormRows

// Copies that are stores of their own: they have another identifier, so both can be open in one coordinator. The tables
// of a mirroring to CloudKit belong to one identifier, so a mirrored store has no such copy.
extension SQLiteStore {
    /// Creates a store in a file with the content of this store, and opens it.
    ///
    /// - Parameters:
    ///   - url: The URL of the file, which must not exist.
    ///   - options: The options to open the new store with.
    /// - Throws: ``CoreDataError`` if the copy cannot be made, or the store is mirrored to CloudKit.
    func moved(to url: URL, options: StoreOptions) throws -> SQLiteStore {
        if isMirrored { throw mirroredOriginal }
        let isInMemory = files == nil
        try backup(to: url, nil) { copy in
            if isInMemory {
                // A new file has these settings and the model. They cannot be set inside a transaction.
                try copy.base.execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
                if let cache = options.modelCache {
                    try copy.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", binding: [.blob(cache)])
                }
            }
            try copy.renew(try renewedMetadata(of: copy, as: StoreMetadata.sqliteType))
        }
        return try SQLiteStore.open(url: url, model: model, options: options)
    }

    /// Creates a store in memory with the content of this store.
    ///
    /// - Throws: ``CoreDataError`` if the copy cannot be made, or the store is mirrored to CloudKit.
    func movedToMemory(options: StoreOptions) throws -> SQLiteStore {
        if isMirrored { throw mirroredOriginal }
        return try SQLiteStore.inMemory(model: model, options: options) { target in
            try translating("copy") {
                try withView(nil) { source, layout, check in
                    // A copy must have pages of the same size.
                    let size = try source.integer("PRAGMA page_size") ?? 4096
                    try target.base.execute("PRAGMA page_size = \(size)")
                    try source.base.backup(to: target.base, pagesPerStep: 1024) { _, _ in try check() }
                    try target.inlineExternalData(of: external, model: model, layout: layout)
                    let metadata = try renewedMetadata(of: target, as: StoreMetadata.inMemoryType)
                    try target.renew(metadata)
                    return (metadata, layout)
                }
            }
        }
    }

    private var mirroredOriginal: CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError,
            "The store '\(files?.main ?? "in memory")' is mirrored to CloudKit, so it was not migrated to another store: the new one would have another identifier, for which the token of the mirroring is not valid, and an app that mirrors it would upload each object a second time. To copy the store with its mirroring, back it up or use replacePersistentStore, which keep the identifier. For a store that is not mirrored, use an NSMigrationManager with the option \(SwormWritesMirroredStoresOption). Nothing was changed."
        )
    }

    /// Returns the metadata for a copy of the store, with the changes that no save has written yet.
    private func renewedMetadata(of copy: StoreConnection, as type: String) throws -> StoreMetadata {
        // Another process may have begun to mirror the store since its schema was read.
        guard try MirroringTables.first(on: copy) == nil else { throw mirroredOriginal }
        guard let bytes = try copy.metadataBytes() else {
            throw CoreDataError(NSPersistentStoreOperationError, "The store has no metadata to copy.")
        }
        let written = try StoreMetadata(identifier: identifier, propertyList: bytes)
        let new = try newMetadata.map { try written.replacingApplicationKeys(with: $0.dictionary) }
        return try (new ?? written).renewed(as: type)
    }
}

extension StoreConnection {
    /// Writes the metadata and the identifier of a new store.
    fileprivate func renew(_ metadata: StoreMetadata) throws {
        try run(
            "UPDATE Z_METADATA SET Z_UUID = ?, Z_PLIST = ?",
            binding: [.text(metadata.identifier), .blob(metadata.propertyList)])
    }

    /// Replaces the names of files in the columns of external data by the content of the files. Names of files that do
    /// not exist stay.
    fileprivate func inlineExternalData(
        of folder: ExternalDataFolder, model: CompiledModel, layout: StoreLayout
    ) throws {
        for entity in model.entities {
            for slot in model.ownAttributes(of: entity) where entity.attributes[slot].allowsExternalStorage {
                guard let name = layout.column(ofAttribute: slot, in: entity.number) else { continue }
                let (column, table) = (SQLName.quoted(name), SQLName.quoted(layout.table(of: entity)))
                var references: [(key: Int64, file: UUID)] = []
                try rows("SELECT Z_PK, \(column) FROM \(table) WHERE length(\(column)) = 38") { row in
                    let key = row.int64(0)
                    row.withBlob(1) { bytes in
                        guard let bytes, let file = ExternalDataFolder.reference(in: bytes) else { return }
                        references.append((key, file))
                    }
                }
                for (key, file) in references {
                    let content: Data
                    do {
                        content = try ExternalDataFolder.referenceColumn(file).withUnsafeBytes {
                            try folder.data(of: $0)
                        }
                    } catch let error as CoreDataError where error.isOfMissingFile {
                        continue
                    }
                    try run(
                        "UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?",
                        binding: [.blob(ExternalDataFolder.inlineColumn(content)), .integer(key)])
                }
            }
        }
    }
}
