import Foundation
import SwormSQLite

extension SQLiteStore {
    /// Whether Core Data mirrors the store to CloudKit, according to the schema that was read last.
    package var isMirrored: Bool { openFiles?.isMirrored ?? false }

    package var historyDeletionRefusal: String? { isMirrored ? mirroredHistoryRefusal : nil }

    private var mirroredHistoryRefusal: String {
        "the store '\(files?.main ?? "in memory")' is mirrored to CloudKit. Core Data exports changes from the history, and if a part of it is missing, the next export fails with the code 134301, and the mirroring deletes its records and begins anew. Let the app that mirrors the store delete its history"
    }

    package func deleteHistory(before bound: HistoryBound) throws -> Bool {
        if let historyDeletionRefusal {
            throw CoreDataError(
                NSPersistentStoreOperationError, "Cannot delete history: \(historyDeletionRefusal).")
        }
        let (open, watch) = try writableFiles()
        return try translating("delete history in") {
            try open.pool.withWriter(watch: watch) { connection in
                try connection.base.transaction(.immediate) {
                    // Another process may have begun to mirror the store since it was opened.
                    let found = try open.history.read(connection, model: model, layout: open.layout)
                    guard !found.isMirrored else {
                        throw CoreDataError(
                            NSPersistentStoreOperationError, "Cannot delete history: \(mirroredHistoryRefusal).")
                    }
                    guard let tables = found.tables else { return false }
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

    /// The number of changes in a transaction of a mirrored store above which a warning is reported.
    static let largestMirroredTransaction = 20_000

    /// Reports a warning if a committed transaction of a mirrored store has more changes than the server accepts at
    /// once.
    func warn(ofLong history: WrittenHistory) {
        guard history.changes > Self.largestMirroredTransaction, isMirrored else { return }
        warnings.report(
            CoreDataError(
                NSPersistentStoreOperationError,
                "A transaction changed \(history.changes) objects of the store '\(files?.main ?? "in memory")', which is mirrored to CloudKit. The server rejects about 21,000 records that are uploaded at once (CKErrorDomain 6 and 7), and Core Data then uploads them later. Write such changes in parts: 2,000 objects every two minutes are accepted."
            ))
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
