import SwormSQLite

extension SQLiteSession {
    func history(after bound: HistoryBound?, includingChanges: Bool) throws -> [StoredTransaction]? {
        try readHistory { try $0.transactions(after: bound, includingChanges: includingChanges) }
    }

    func historyExtent() throws -> HistoryExtent? { try readHistory { try $0.extent() } }

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
