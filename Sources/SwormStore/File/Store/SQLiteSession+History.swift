import SwormSQLite

extension SQLiteSession {
    func history(after bound: HistoryBound?, includingChanges: Bool, limit: Int?) throws -> [StoredTransaction]? {
        try readHistory { try $0.transactions(after: bound, includingChanges: includingChanges, limit: limit) }
    }

    func history(ofRow row: RowID, limit: Int) throws -> [StoredTransaction]? {
        try readHistory { try $0.transactions(of: row, limit: limit) }
    }

    func historyExtent() throws -> HistoryExtent? { try readHistory { try $0.extent() } }

    func hasForeignTriggers() throws -> Bool { try read { try $0.findForeignTriggers() } }

    func metadataValue(forKey key: String) throws -> Any? { try read { try $0.metadataValue(forKey: key) } }

    private func readHistory<Result>(_ body: (HistoryReader) throws -> Result) throws -> Result? {
        try read { connection in
            guard let tables = try open.history.tables(connection, model: store.model, layout: open.layout) else {
                return nil
            }
            return try body(
                HistoryReader(connection: connection, model: store.model, tables: tables, path: open.path))
        }
    }
}
