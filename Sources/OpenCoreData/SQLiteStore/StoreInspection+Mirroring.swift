extension StoreInspection {
    /// The first of the tables in which Core Data keeps account of mirroring a store to CloudKit; nil for a store that is
    /// not mirrored.
    var mirroringTable: String? { columns.keys.filter { $0.hasPrefix("ANSCK") }.min() }

    /// Refuses to write into a store that is mirrored to CloudKit, unless that was asked for.
    ///
    /// What is written here reaches the cloud only when Core Data finds it in the history, and what comes from there may
    /// be in the tables half way. So it takes a decision to write.
    func refuseMirrored(path: String, options: StoreOptions) throws {
        guard !options.writesMirroredStores, let table = mirroringTable else { return }
        throw CoreDataError(
            NSPersistentStoreOpenError,
            "The store “\(path)” is mirrored to CloudKit (it has the table \(table)), and only Core Data can mirror what is written. Open it read-only, or set the option \(SwormWritesMirroredStoresOption) to write all the same."
        )
    }
}
