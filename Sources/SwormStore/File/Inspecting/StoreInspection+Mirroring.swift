extension StoreInspection {
    /// The first of the tables in which Core Data keeps account of mirroring a store to CloudKit; nil for a store that is
    /// not mirrored.
    var mirroringTable: String? { columns.keys.filter { $0.hasPrefix("ANSCK") }.min() }

    /// Whether the file has the tables of a history.
    var keepsHistory: Bool {
        columns[HistoryTables.Kind.change.table] != nil && columns[HistoryTables.Kind.transaction.table] != nil
    }

    /// Refuses to open a store read-only that is to begin a history.
    func refuseNewHistory(path: String) throws {
        guard !keepsHistory else { return }
        throw CoreDataError(
            NSPersistentStoreOpenError,
            "The store “\(path)” keeps no history, and cannot begin one while it is opened read-only. Open it for writing once with the option \(NSPersistentHistoryTrackingKey), or leave the option out."
        )
    }
}

/// Says that a store was to be opened for writing, is mirrored to CloudKit, and nobody has decided to write all the same.
///
/// What is written here reaches the cloud only when Core Data finds it in the history, and what comes from there may be in
/// the tables half way. So it takes a decision to write, and without it the store is opened read-only.
struct MirroredStore: Error {
    var table: String
}
