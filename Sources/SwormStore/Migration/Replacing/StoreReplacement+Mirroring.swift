extension StoreReplacement {
    /// Throws an error if a store that is to be replaced by another one is mirrored to CloudKit, unless the options allow
    /// writing mirrored stores.
    func refuseMirroredTarget() throws {
        // A damaged store, whose tables cannot be read, can be replaced.
        guard !options.writesMirroredStores, let table = (try? inspection())?.mirroringTable else { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "The store '\(files.main)' is mirrored to CloudKit (it has the table \(table)), so it was not replaced: changes that it has not uploaded would be lost, and its objects would no longer be those of its records. Choose another file, or remove this store first. Nothing was changed."
        )
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
