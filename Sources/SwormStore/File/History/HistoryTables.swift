import SwormSQLite
import SwormPredicates

/// The tables of a store's history as its file has them.
///
/// Their form has changed over the years, so every column is looked for by its name, and one that is missing is not written.
struct HistoryTables: Sendable {
    /// A table of the history. The raw value is its name in `Z_PRIMARYKEY`.
    enum Kind: String, Sendable, CaseIterable {
        case change = "CHANGE"
        case transaction = "TRANSACTION"
        case string = "TRANSACTIONSTRING"

        var table: String { "A" + rawValue }

        /// The number that new stores give it. What a file says in `Z_PRIMARYKEY` counts more.
        var number: Int64 {
            switch self {
            case .change: 16001
            case .transaction: 16002
            case .string: 16003
            }
        }
    }

    private let columns: [Kind: Set<String>]
    /// By entity number, from 1.
    private let properties: [HistoryProperties]
    /// The same as earlier versions of this library counted them.
    private let earlierProperties: [HistoryProperties]

    /// Reads what the file has.
    ///
    /// - Returns: Nil when it keeps no history: without changes or without transactions there is none.
    init?(_ connection: StoreConnection, model: CompiledModel, layout: StoreLayout) throws {
        columns = try Self.columns(connection)
        guard let changes = columns[.change], columns[.transaction] != nil else { return nil }
        let tombstones = (0...).prefix { changes.contains(Self.tombstone($0)) }.count
        properties = model.entities.map { HistoryProperties($0, layout: layout, tombstones: tombstones) }
        earlierProperties = model.entities.map {
            HistoryProperties($0, layout: layout, tombstones: tombstones, order: .byName)
        }
    }

    static func columns(_ connection: StoreConnection) throws -> [Kind: Set<String>] {
        var columns: [Kind: Set<String>] = [:]
        for kind in Kind.allCases {
            try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(kind.table)]) {
                if let name = $0.text(0) { columns[kind, default: []].insert(name) }
            }
        }
        return columns
    }

    func has(_ column: String, in kind: Kind) -> Bool { columns[kind]?.contains(column) ?? false }

    /// Throws when a table lacks columns without which nothing can be made of it.
    func require(_ columns: [String], in kind: Kind, path: String?) throws {
        let missing = columns.filter { !has($0, in: kind) }
        guard !missing.isEmpty else { return }
        throw CoreDataError(
            NSPersistentStoreIncompatibleSchemaError,
            "The history of the store “\(path ?? "in memory")” cannot be used: its table \(kind.table) lacks \(missing.joined(separator: ", ")), which every known form of a history has. Mend the table, or leave its history alone."
        )
    }

    /// Whether names stand in a table of their own. In the oldest form they are part of the transaction.
    var hasStrings: Bool { columns[.string] != nil }

    func properties(of entity: Int, in order: HistoryProperties.Order = .byGroup) -> HistoryProperties {
        order == .byGroup ? properties[entity - 1] : earlierProperties[entity - 1]
    }

    /// The expression for a text of a transaction `t`: from the table of texts, or, in the oldest form, from the row itself.
    func text(_ column: String) -> String {
        let own = has(column, in: .transaction) ? "t.\(column)" : "NULL"
        guard hasStrings, has("ZNAME", in: .string), has(column + "TS", in: .transaction) else { return own }
        return "coalesce((SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), \(own))"
    }

    /// The column for a value of a deleted object.
    static func tombstone(_ index: Int) -> String { "ZTOMBSTONE\(index)" }
}

/// The history's tables of an open store, read anew whenever the schema of the file has changed: another process may turn
/// the history on, or add columns to it.
final class HistoryCache: Sendable {
    private struct Known: Sendable {
        var schemaVersion: Int64?
        var tables: HistoryTables?
    }

    private let known = Locked<Known?>(nil)

    /// Called inside a transaction, so that what it says holds until the end of it.
    func tables(_ connection: StoreConnection, model: CompiledModel, layout: StoreLayout) throws -> HistoryTables? {
        let version = try connection.integer("PRAGMA schema_version")
        if let known = known.withLock({ $0 }), known.schemaVersion == version { return known.tables }
        let tables = try HistoryTables(connection, model: model, layout: layout)
        known.withLock { $0 = Known(schemaVersion: version, tables: tables) }
        return tables
    }
}
