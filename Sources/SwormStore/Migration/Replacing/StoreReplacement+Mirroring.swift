import SwormSQLite

extension StoreReplacement {
    /// Throws an error if the store is mirrored to CloudKit. A migration plan has no options that allow its migration.
    func refuseMirroredSource() throws {
        guard let inspection = try inspection() else { return }
        try StoreMigration.refuseMirrored(
            inspection, files: files, options: options,
            advice:
                "A migration plan does not migrate such a store. To migrate it anyway, open it in an NSPersistentContainer with the option \(SwormWritesMirroredStoresOption), or use `sworm-tool migrate` with `--mirrored`."
        )
    }

    /// Throws an error if a store that is to be replaced by another one is mirrored to CloudKit, unless the options allow
    /// writing mirrored stores.
    func refuseMirroredTarget() throws {
        guard !options.writesMirroredStores, let table = try mirroringTable() else { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "The store '\(files.main)' is mirrored to CloudKit (it has the table \(table)), so it was not replaced: changes that it has not uploaded would be lost, and its objects would no longer be those of its records. Choose another file, or remove this store first. Nothing was changed."
        )
    }
}

extension StoreReplacement {
    /// Returns the first of the tables of the mirroring; nil if the store is not mirrored. A damaged store whose schema
    /// cannot be read can be replaced, but not one of which only the metadata are damaged.
    private func mirroringTable() throws -> String? {
        guard let connection = lockedConnection else { return try MirroringTables.first(in: files) }
        return try CoreDataError.translating(while: "open", path: files.main) {
            do {
                return try MirroringTables.first(on: connection)
            } catch let error as SQLiteError where error.isDamage {
                return nil
            }
        }
    }
}

extension CoreDataError {
    /// The warning that is reported when a mirrored store was copied.
    static func mirroredCopy(_ path: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError,
            "The copy '\(path)' is mirrored to CloudKit like its original: an app that opens it with mirroring uploads and downloads as if it were the original. Do not let an app open both."
        )
    }
}
