#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// A reader for the history of a store on a server.
///
/// It reads transactions up to the horizon: behind that number none is added any more, so that a reader who continues after
/// the last transaction misses none. Changes of entities that the model does not have, and properties that it does not have,
/// are skipped: another version of the program may have written them.
struct ServerHistoryReader {
    let connection: PostgresConnection
    let schema: ServerSchema
    let history: ServerHistory

    private var sql: HistorySQL { history.sql }

    /// Returns the transactions after a position, or nil if the store keeps no history.
    ///
    /// - Throws: ``CoreDataError`` with the code `NSPersistentHistoryTokenExpiredError` for a transaction that the history
    ///   never had, or behind which transactions were deleted.
    func transactions(
        after bound: HistoryBound?, includingChanges: Bool, limit: Int?
    ) throws -> [StoredTransaction]? {
        var statements = [try header(of: bound), try list(after: bound, limit: limit)]
        if includingChanges { statements.append(try changes(after: bound, limit: limit)) }
        let results = try connection.run(statements)
        guard results[0].rowCount > 0 else { return nil }
        if case .transaction(let number)? = bound { try check(number, header: results[0]) }
        var transactions: [StoredTransaction] = []
        var places: [Int64: Int] = [:]
        for row in 0..<results[1].rowCount {
            let transaction = try Self.transaction(row, of: results[1])
            history.note(transaction.number, from: try results[1].uuid(row, column: 6))
            places[transaction.number] = transactions.count
            transactions.append(transaction)
        }
        guard includingChanges else { return transactions }
        try Self.readChanges(results[2], schema: schema) { number, change in
            if let place = places[number] { transactions[place].changes.append(change) }
        }
        return transactions
    }

    /// Returns the extent of the history, or nil if the store keeps none.
    func extent() throws -> HistoryExtent? {
        let result = try connection.run(try header(of: nil))
        guard result.rowCount > 0, let purged = try result.int64(0, column: 0) else { return nil }
        let (lowest, overflow) = purged.addingReportingOverflow(1)
        guard !overflow else {
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "The history of the store cannot be read: the table \(sql.history) says that all transactions that can exist were deleted. Restore it from a backup."
            )
        }
        // The numbers have gaps. Only the deleted ones count.
        return HistoryExtent(lowest: lowest, highest: max(purged, try result.int64(0, column: 1) ?? 0))
    }

    // MARK: Positions

    /// The row of the history: the last number that was deleted, the highest number behind the horizon, and whether the
    /// history has the transaction of the position.
    private func header(of bound: HistoryBound?) throws -> SQLStatement {
        let parameters = Parameters()
        if case .transaction(let number)? = bound { parameters.append(number) } else { parameters.append(0 as Int64) }
        return SQLStatement(
            """
            SELECT h."purged", (SELECT pg_catalog.max(t."number") FROM \(sql.transactions) AS t WHERE t."number" < \(sql.horizon)), \
            EXISTS (SELECT 1 FROM \(sql.transactions) AS t WHERE t."number" = $1) FROM \(sql.history) AS h
            """, with: parameters)
    }

    private func check(_ number: Int64, header: PostgresResult) throws {
        let purged = try header.int64(0, column: 0) ?? 0
        if number == purged { return }
        let exists = try header.bool(0, column: 2) ?? false
        if number > purged, exists { return }
        let reason =
            number < purged
            ? "transactions after it were deleted"
            : "the store has no such transaction. It was restored, or a server took over that had not received it"
        throw CoreDataError(
            NSPersistentHistoryTokenExpiredError,
            "The history cannot be read after the transaction \(number): \(reason). Fetch the objects again, and continue with the current token."
        )
    }

    // MARK: Statements

    /// The rows of the transactions after a position, as the end of a SELECT with a single parameter.
    private func selection(after bound: HistoryBound?, limit: Int?) -> String {
        var tests = ["t.\"number\" > \(sql.purged)", "t.\"number\" < \(sql.horizon)"]
        switch bound {
        case nil: break
        case .transaction: tests.append("t.\"number\" > $1")
        case .date: tests.append("t.\"time\" > $1")
        }
        let end = limit.map { " LIMIT \(max(0, $0))" } ?? ""
        return
            "FROM \(sql.transactions) AS t WHERE \(tests.joined(separator: " AND ")) ORDER BY t.\"number\"\(end)"
    }

    private func parameters(_ bound: HistoryBound?) -> Parameters? {
        switch bound {
        case nil: return nil
        case .transaction(let number):
            let parameters = Parameters()
            parameters.append(number)
            return parameters
        case .date(let date):
            let parameters = Parameters()
            parameters.append(transactionDate: date)
            return parameters
        }
    }

    private func list(after bound: HistoryBound?, limit: Int?) throws -> SQLStatement {
        SQLStatement(
            "SELECT t.\"number\", t.\"time\", t.\"bundle\", t.\"process\", t.\"context\", t.\"author\", t.\"instance\" \(selection(after: bound, limit: limit))",
            with: parameters(bound))
    }

    private func changes(after bound: HistoryBound?, limit: Int?) throws -> SQLStatement {
        SQLStatement(
            """
            SELECT \(Self.columns) FROM (SELECT t."number" \(selection(after: bound, limit: limit))) AS n \
            JOIN \(sql.changes) AS c ON c."number" = n."number" ORDER BY c."number", c."seq"
            """, with: parameters(bound))
    }

    /// The columns of a change `c` that ``readChanges(_:schema:_:)`` expects.
    static let columns =
        "c.\"number\", c.\"seq\", c.\"entity\"::bigint, c.\"kind\"::text, c.\"key\", c.\"columns\", c.\"tombstone\"::text"

    // MARK: Rows

    private static func transaction(_ row: Int, of result: PostgresResult) throws -> StoredTransaction {
        StoredTransaction(
            number: try result.int64(row, column: 0) ?? 0, timestamp: try result.date(row, column: 1) ?? Date(),
            bundleID: try result.string(row, column: 2), processID: try result.string(row, column: 3),
            contextName: try result.string(row, column: 4), author: try result.string(row, column: 5))
    }

    /// Calls a closure with the changes of a result, each with the number of its transaction.
    static func readChanges(
        _ result: PostgresResult, schema: ServerSchema, _ body: (Int64, StoredChange) -> Void
    ) throws {
        for row in 0..<result.rowCount {
            guard let transaction = try result.int64(row, column: 0), let number = try result.int64(row, column: 1),
                let entity = try result.int64(row, column: 2).flatMap({ schema.entityNumbers[$0] }),
                let kind = try result.string(row, column: 3).flatMap(ServerHistoryNotes.Kind.init),
                let key = try result.int64(row, column: 4)
            else { continue }
            let columns = schema.columns[entity - 1]
            var change = StoredChange(
                number: number, row: RowID(entity: entity, key: key), type: kind.type, tombstone: [:])
            switch kind {
            case .insertion: break
            case .update:
                let known = Set(columns.entity.propertyNames)
                let names = try result.string(row, column: 5).map(ServerHistoryNotes.names)?.filter(known.contains)
                change.properties = names?.isEmpty ?? true ? nil : names
            case .deletion:
                if let json = try result.string(row, column: 6) {
                    change.tombstone = Tombstones.values(json, of: columns.entity, in: columns)
                }
            }
            body(transaction, change)
        }
    }
}

extension Parameters {
    /// Appends a date to compare with those of transactions. One that the server does not have becomes one that is before or
    /// after all of them.
    func append(transactionDate date: Date) {
        if append(date) { return }
        _ = append(date > Date() ? Date(timeIntervalSince1970: 253_370_764_800) : Date(timeIntervalSince1970: 0))
    }
}

extension ServerHistoryNotes.Kind {
    fileprivate var type: NSPersistentHistoryChangeType {
        switch self {
        case .insertion: .insert
        case .update: .update
        case .deletion: .delete
        }
    }
}
#endif
