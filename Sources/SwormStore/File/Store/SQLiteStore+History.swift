import Foundation
import SwormSQLite

extension SQLiteStore {
    package func deleteHistory(before bound: HistoryBound) throws -> Bool {
        let (open, watch) = try writableFiles()
        return try translating("delete history in") {
            try open.pool.withWriter(watch: watch) { connection in
                try connection.base.transaction(.immediate) {
                    guard let tables = try open.history.tables(connection, model: model, layout: open.layout) else {
                        return false
                    }
                    try tables.require(["Z_PK", "ZTIMESTAMP"], in: .transaction, path: open.path)
                    try tables.require(["Z_PK", "ZTRANSACTIONID"], in: .change, path: open.path)
                    // The numbers of deleted rows are never reused, even if the key counters are behind.
                    for kind in HistoryTables.Kind.allCases where tables.has("Z_PK", in: kind) {
                        _ = try HistoryKeys.reserve(0, of: kind, model: model, connection: connection)
                    }
                    try Self.delete(before: bound, in: tables, on: connection)
                    return true
                }
            }
        }
    }

    private static func delete(
        before bound: HistoryBound, in tables: HistoryTables, on connection: StoreConnection
    ) throws {
        switch bound {
        case .transaction(let number):
            try connection.run("DELETE FROM ATRANSACTION WHERE Z_PK < ?", binding: [.integer(number)])
        case .date(let date):
            // Deletes up to the first transaction that is kept. If the clock was set back, selecting by date alone
            // would leave a gap that no token can represent. The first transaction is searched for once, because a
            // search per row would take hours in a long history.
            let first = "(SELECT min(Z_PK) FROM ATRANSACTION t WHERE \(HistoryReader.moment) >= ?1)"
            try connection.run(
                "DELETE FROM ATRANSACTION WHERE \(first) IS NULL OR Z_PK < \(first)",
                binding: [.real(date.timeIntervalSinceReferenceDate)])
        }
        try connection.run(
            "DELETE FROM ACHANGE WHERE NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = ACHANGE.ZTRANSACTIONID)")
        let references = ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"].filter {
            tables.has($0, in: .transaction)
        }
        // If columns are missing, it is unknown which strings are in use.
        guard tables.has("Z_PK", in: .string), references.count == 4 else { return }
        let unused = references.map {
            "NOT EXISTS (SELECT 1 FROM ATRANSACTION t WHERE t.\($0) = ATRANSACTIONSTRING.Z_PK)"
        }
        try connection.run("DELETE FROM ATRANSACTIONSTRING WHERE " + unused.joined(separator: " AND "))
    }
}
