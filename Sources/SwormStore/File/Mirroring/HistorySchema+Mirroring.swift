import SwormSQLite

extension HistorySchema {
    /// Throws an error if new transactions of a mirrored store would get numbers that the mirroring has already exported.
    ///
    /// Core Data exports the transactions after its token. Later transactions that have the same or lower numbers are
    /// never uploaded.
    ///
    /// - Parameter identifier: The identifier of the store, by which the token names it.
    static func refuseExportedNumbers(
        _ connection: StoreConnection, model: CompiledModel, identifier: String, path: String
    ) throws {
        guard let reader = try MirroringReader(connection, identifier: identifier),
            let exported = try reader.exportedPart()
        else { return }
        func refuse(_ reason: String) -> CoreDataError {
            CoreDataError(
                NSPersistentStoreOpenError,
                "The store '\(path)' cannot be opened for writing: it is mirrored to CloudKit and \(exported.words) of its history were exported, but \(reason). The mirroring would not upload new transactions. Let the app that mirrors the store open it first, restore the store from a backup, or open it read-only."
            )
        }
        guard reader.history[.change] != nil, reader.history[.transaction]?.contains("Z_PK") ?? false else {
            throw refuse("the tables of the history are missing")
        }
        guard let number = exported.number else { return }
        let recorded = try HistoryKeys.recorded(.transaction, model: model, connection: connection)?.highest ?? 0
        let highest = max(recorded, try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0)
        guard highest < number else { return }
        throw refuse("the next number would be \(highest + 1)")
    }
}

extension MirroringReader {
    /// Returns the last exported transaction, whose number is nil if the token cannot be read; nil if nothing was
    /// exported, or the file has no metadata of the mirroring.
    fileprivate func exportedPart() throws -> (number: Int64?, words: String)? {
        switch try export() {
        case .nothing: return nil
        case .transactions(let number): return (number, "the transactions up to number \(number)")
        case .unknown:
            guard let table = tables.table(.entry, with: ["ZKEY"]) else { return nil }
            let key = MirroringNames.Entry.historyToken
            let count = try connection.integer(
                "SELECT count(*) FROM \(table) WHERE ZKEY = ?", binding: [.text(key)])
            guard let count, count > 0 else { return nil }
            return (nil, "an unknown number of transactions")
        }
    }
}
