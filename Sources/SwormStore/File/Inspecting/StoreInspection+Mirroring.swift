extension StoreInspection {
    /// The first of the tables in which Core Data tracks the mirroring of a store to CloudKit; nil for a store that is
    /// not mirrored.
    package var mirroringTable: String? { columns.keys.filter(MirroringTables.contains).min() }

    /// Whether the file has the tables of a persistent history.
    var keepsHistory: Bool {
        columns[HistoryTables.Kind.change.table] != nil && columns[HistoryTables.Kind.transaction.table] != nil
    }

    /// Throws an error if the store has no history, because a store that is opened read-only cannot start one.
    func refuseNewHistory(path: String) throws {
        guard !keepsHistory else { return }
        throw CoreDataError(
            NSPersistentStoreOpenError,
            "The store '\(path)' has no history, and cannot start one while it is open read-only. Open it once for writing with the option \(NSPersistentHistoryTrackingKey), or omit the option."
        )
    }
}

/// An error that is thrown if a store is opened for writing and is mirrored to CloudKit, and the options do not allow
/// writing mirrored stores.
///
/// Changes that are written here reach the cloud only when Core Data finds them in the history, and changes from the
/// cloud may be incomplete in the tables. Therefore writing must be allowed explicitly; otherwise the store is opened
/// read-only.
struct MirroredStore: Error {
    var table: String
}
