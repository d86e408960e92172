#if PostgreSQL
import SwormPostgres

extension PostgresSession {
    func history(after bound: HistoryBound?, includingChanges: Bool, limit: Int?) throws -> [StoredTransaction]? {
        try read {
            try ServerHistoryReader(connection: $0, schema: schema, history: store.history)
                .transactions(after: bound, includingChanges: includingChanges, limit: limit)
        }
    }

    func historyExtent() throws -> HistoryExtent? {
        try read { try ServerHistoryReader(connection: $0, schema: schema, history: store.history).extent() }
    }

    func hasForeignTriggers() throws -> Bool {
        try read { connection in
            let parameters = Parameters()
            guard parameters.append(store.serverOptions.schema) else { return false }
            let result = try connection.run(SQLStatement("SELECT \(HistorySQL.hasForeignTriggers)", with: parameters))
            return try result.bool(0, column: 0) ?? false
        }
    }

    func metadataValue(forKey key: String) throws -> Any? {
        try read { try store.storedMetadata($0)?.dictionary[key] }
    }
}
#endif
