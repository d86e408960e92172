import Foundation
import SwormSQLite

extension SQLiteSession {
    func history(after bound: HistoryBound?, includingChanges: Bool) throws -> [StoredTransaction]? {
        try read { connection in
            guard let tables = try open.history.tables(connection, model: store.model, layout: open.layout) else {
                return nil
            }
            let reader = HistoryReader(connection: connection, model: store.model, tables: tables, path: open.path)
            return try reader.transactions(after: bound, includingChanges: includingChanges)
        }
    }

    func historyExtent() throws -> HistoryExtent? {
        try read { connection in
            guard
                try open.history.tables(connection, model: store.model, layout: open.layout) != nil
            else { return nil }
            let record = try HistoryKeys.recorded(.transaction, model: store.model, connection: connection)
            let lowest = try connection.integer("SELECT min(Z_PK) FROM ATRANSACTION")
            let highest = try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION")
            return HistoryExtent(lowest: lowest, highest: max(record?.highest ?? 0, highest ?? 0, 0))
        }
    }
}
