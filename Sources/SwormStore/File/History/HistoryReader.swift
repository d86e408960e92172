import Foundation
import SwormSQLite

/// A reader for the rows of a store's history, in each of its formats.
///
/// The rows may have been written by any program. Changes without a transaction, of an entity that the model does not
/// contain, without a key or of an unknown kind are skipped. Missing strings are nil, and an invalid date becomes the
/// reference date.
struct HistoryReader {
    let connection: StoreConnection
    let model: CompiledModel
    let tables: HistoryTables
    let path: String?

    /// - Parameter limit: The number of transactions, from the first one on; nil for all.
    func transactions(
        after bound: HistoryBound?, includingChanges: Bool, limit: Int? = nil
    ) throws -> [StoredTransaction] {
        var condition = Self.condition(bound)
        var transactions = try list(where: condition, limit: limit)
        guard includingChanges, !transactions.isEmpty else { return transactions }
        if limit != nil, let last = transactions.last {
            condition.sql += (condition.sql.isEmpty ? " WHERE" : " AND") + " t.Z_PK <= ?"
            condition.values.append(.integer(last.number))
        }
        try addChanges(to: &transactions, where: condition)
        return transactions
    }

    /// Returns the latest transactions that changed a row, the latest first, with only the changes of that row.
    func transactions(of row: RowID, limit: Int) throws -> [StoredTransaction] {
        try tables.require(["Z_PK", "ZTRANSACTIONID", "ZENTITY", "ZENTITYPK"], in: .change, path: path)
        let values: [StoredValue] = [.integer(Int64(row.entity)), .integer(row.key)]
        let condition = (
            sql: """
             WHERE t.Z_PK IN (SELECT DISTINCT o.ZTRANSACTIONID FROM ACHANGE o WHERE o.ZENTITY = ? \
            AND o.ZENTITYPK = ? ORDER BY o.ZTRANSACTIONID DESC LIMIT \(limit))
            """, values: values
        )
        var transactions = try list(where: condition, limit: nil)
        guard !transactions.isEmpty else { return [] }
        try addChanges(to: &transactions, where: condition, of: row)
        return transactions.filter { !$0.changes.isEmpty }.reversed()
    }

    /// Returns transactions without their changes, in the order of their numbers.
    private func list(where condition: (sql: String, values: [StoredValue]), limit: Int?) throws -> [StoredTransaction]
    {
        try tables.require(["Z_PK", "ZTIMESTAMP"], in: .transaction, path: path)
        let texts = ["ZBUNDLEID", "ZPROCESSID", "ZCONTEXTNAME", "ZAUTHOR"].map(tables.text).joined(separator: ", ")
        var transactions: [StoredTransaction] = []
        var numbers: Set<Int64> = []
        try connection.rows(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(texts) FROM ATRANSACTION t\(condition.sql) ORDER BY t.Z_PK\(limit.map { " LIMIT \($0)" } ?? "")",
            binding: condition.values
        ) { row in
            guard case .integer(let number) = row.storedValue(0), numbers.insert(number).inserted else { return }
            transactions.append(
                StoredTransaction(
                    number: number, timestamp: Self.moment(row.storedValue(1)), bundleID: Self.text(row.storedValue(2)),
                    processID: Self.text(row.storedValue(3)), contextName: Self.text(row.storedValue(4)),
                    author: Self.text(row.storedValue(5))))
        }
        return transactions
    }

    private func addChanges(
        to transactions: inout [StoredTransaction], where condition: (sql: String, values: [StoredValue]),
        of row: RowID? = nil
    ) throws {
        var places: [Int64: Int] = [:]
        for (place, transaction) in transactions.enumerated() { places[transaction.number] = place }
        let programs = Set(transactions.compactMap(\.unnamedProgram))
        let earlier = try EarlierHistory(connection: connection, model: model, tables: tables).programs(among: programs)
        let orders = transactions.map { transaction in
            transaction.unnamedProgram.map(earlier.contains) == true ? HistoryProperties.Order.byName : .byGroup
        }
        try readChanges(where: condition, of: row, order: { number in places[number].map { orders[$0] } }) {
            if let place = places[$0] { transactions[place].changes.append($1) }
        }
    }

    func extent() throws -> HistoryExtent {
        try tables.require(["Z_PK"], in: .transaction, path: path)
        let record = try HistoryKeys.recorded(.transaction, model: model, connection: connection)
        let lowest = try connection.integer("SELECT min(Z_PK) FROM ATRANSACTION")
        let highest = try connection.integer("SELECT max(Z_PK) FROM ATRANSACTION")
        return HistoryExtent(lowest: lowest, highest: max(record?.highest ?? 0, highest ?? 0, 0))
    }

    /// The SQL expression that compares the date of a transaction `t`. A value that is not a number is older than every
    /// date; SQLite alone would consider text greater than every number.
    static let moment = "CASE WHEN typeof(t.ZTIMESTAMP) IN ('integer', 'real') THEN t.ZTIMESTAMP END"

    /// Returns the SQL condition for the transactions after a bound, with `t` as the alias of their table.
    private static func condition(_ bound: HistoryBound?) -> (sql: String, values: [StoredValue]) {
        switch bound {
        case nil: ("", [])
        case .transaction(let number): (" WHERE t.Z_PK > ?", [.integer(number)])
        case .date(let date): (" WHERE \(moment) > ?", [.real(date.timeIntervalSinceReferenceDate)])
        }
    }

    // MARK: Changes

    private func readChanges(
        where condition: (sql: String, values: [StoredValue]), of row: RowID?,
        order: (Int64) -> HistoryProperties.Order?, _ body: (Int64, StoredChange) -> Void
    ) throws {
        try tables.require(["Z_PK", "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK"], in: .change, path: path)
        let bits = tables.has("ZCOLUMNS", in: .change) ? "c.ZCOLUMNS" : "NULL"
        let count = model.entities.map { tables.properties(of: $0.number).tombstones.count }.max() ?? 0
        let tombstones = (0..<count).map { ", c." + HistoryTables.tombstone($0) }.joined()
        try connection.rows(
            """
            SELECT c.Z_PK, c.ZTRANSACTIONID, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, \(bits)\(tombstones) FROM ACHANGE c \
            WHERE c.ZTRANSACTIONID IN (SELECT t.Z_PK FROM ATRANSACTION t\(condition.sql))\
            \(row == nil ? "" : " AND c.ZENTITY = ? AND c.ZENTITYPK = ?") ORDER BY c.ZTRANSACTIONID, c.Z_PK
            """, binding: condition.values + (row.map { [.integer(Int64($0.entity)), .integer($0.key)] } ?? [])
        ) { row in
            guard case .integer(let number) = row.storedValue(0), case .integer(let transaction) = row.storedValue(1),
                case .integer(let kind) = row.storedValue(2), case .integer(let entity) = row.storedValue(3),
                case .integer(let key) = row.storedValue(4), key > 0,
                let type = Int(exactly: kind).flatMap(NSPersistentHistoryChangeType.init),
                let entity = model.entity(numbered: entity), let order = order(transaction)
            else { return }
            var change = StoredChange(
                number: number, row: .init(entity: entity.number, key: key), type: type, tombstone: [:])
            let properties = tables.properties(of: entity.number, in: order)
            switch type {
            case .insert: break
            case .update:
                if case .blob(let bits) = row.storedValue(5) { change.properties = properties.names(bits) }
            case .delete:
                for (index, tombstone) in properties.tombstones.enumerated() where !row.isNull(6 + index) {
                    change.tombstone[tombstone.slot] = row.storedValue(6 + index)
                }
            }
            body(transaction, change)
        }
    }

    // MARK: Values

    private static func text(_ value: StoredValue) -> String? {
        if case .text(let text) = value { text } else { nil }
    }

    private static func moment(_ value: StoredValue) -> Date {
        let seconds: Double =
            switch value {
            case .real(let number): number
            case .integer(let number): Double(number)
            default: 0
            }
        // Foundation traps when it describes a date that is outside the range of every calendar.
        return Date(timeIntervalSinceReferenceDate: abs(seconds) < 1e13 ? seconds : 0)
    }
}
