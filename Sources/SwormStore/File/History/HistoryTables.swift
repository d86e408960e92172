import SwormSQLite
import SwormPredicates

/// The tables of a store's history, as they are in the file.
///
/// Their format has changed over the years, so every column is looked up by its name, and a missing column is not
/// written.
struct HistoryTables: Sendable {
    /// A table of the history. The raw value is its name in `Z_PRIMARYKEY`.
    enum Kind: String, Sendable, CaseIterable {
        case change = "CHANGE"
        case transaction = "TRANSACTION"
        case string = "TRANSACTIONSTRING"

        var table: String { "A" + rawValue }

        /// The number that new stores assign to the table. A number recorded in `Z_PRIMARYKEY` takes precedence.
        var number: Int64 {
            switch self {
            case .change: 16001
            case .transaction: 16002
            case .string: 16003
            }
        }
    }

    private let columns: [Kind: Set<String>]
    /// The properties by entity number, starting with 1.
    private let properties: [HistoryProperties]
    /// The same in the order of earlier versions of this library.
    private let earlierProperties: [HistoryProperties]

    /// Reads the tables of the file.
    ///
    /// - Returns: Nil if the file has no history, which requires the tables for changes and for transactions.
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
            try connection.rows("SELECT name FROM pragma_table_info(?)", binding: [.text(kind.table)]) {
                if let name = $0.text(0) { columns[kind, default: []].insert(name) }
            }
        }
        return columns
    }

    func has(_ column: String, in kind: Kind) -> Bool { columns[kind]?.contains(column) ?? false }

    /// Throws an error if a table lacks columns that are required to read it.
    func require(_ columns: [String], in kind: Kind, path: String?) throws {
        let missing = columns.filter { !has($0, in: kind) }
        guard !missing.isEmpty else { return }
        throw CoreDataError(
            NSPersistentStoreIncompatibleSchemaError,
            "The history of the store '\(path ?? "in memory")' cannot be used: its table '\(kind.table)' has no \(missing.joined(separator: ", ")), which every known form of a history has. Repair the table, or do not use its history."
        )
    }

    /// Whether names are stored in a separate table. In the oldest format they are part of the transaction.
    var hasStrings: Bool { columns[.string] != nil }

    func properties(of entity: Int, in order: HistoryProperties.Order = .byGroup) -> HistoryProperties {
        order == .byGroup ? properties[entity - 1] : earlierProperties[entity - 1]
    }

    /// Returns the SQL expression for a string of a transaction `t`, which is in the table of strings or, in the oldest
    /// format, in the row itself.
    func text(_ column: String) -> String { Self.text(column, in: columns) }

    /// Returns the same expression for tables with the given columns.
    static func text(_ column: String, in columns: [Kind: Set<String>]) -> String {
        func has(_ column: String, in kind: Kind) -> Bool { columns[kind]?.contains(column) ?? false }
        let own = has(column, in: .transaction) ? "t.\(column)" : "NULL"
        guard has("ZNAME", in: .string), has(column + "TS", in: .transaction) else { return own }
        return "coalesce((SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), \(own))"
    }

    /// Returns the column for a value of a deleted object.
    static func tombstone(_ index: Int) -> String { "ZTOMBSTONE\(index)" }
}

/// The history's tables of an open store, and whether Core Data mirrors the store to CloudKit. They are read again after
/// each change of the file's schema, because another process may enable the history, add columns to it, or begin to mirror
/// the store.
final class HistoryCache: Sendable {
    private struct Known: Sendable {
        /// The version of the schema that was read; nil before it was read with this cache.
        var schemaVersion: Int64?
        var tables: HistoryTables?
        var isMirrored: Bool
    }

    private let known: Locked<Known>

    init(isMirrored: Bool) { known = Locked(Known(isMirrored: isMirrored)) }

    /// Whether Core Data mirrors the store to CloudKit, according to the schema that was read last.
    var isMirrored: Bool { known.withLock { $0.isMirrored } }

    /// Replaces the content of the cache after the file was inspected while no connection was open.
    func renew(isMirrored: Bool) { known.withLock { $0 = Known(isMirrored: isMirrored) } }

    /// Returns the tables of the history. Called inside a transaction, so that the result is valid until its end.
    func tables(_ connection: StoreConnection, model: CompiledModel, layout: StoreLayout) throws -> HistoryTables? {
        try read(connection, model: model, layout: layout).tables
    }

    /// Returns the tables of the history, and whether the store is mirrored. Called inside a transaction, so that the
    /// result is valid until its end.
    func read(
        _ connection: StoreConnection, model: CompiledModel, layout: StoreLayout
    ) throws -> (tables: HistoryTables?, isMirrored: Bool) {
        let version = try connection.integer("PRAGMA schema_version")
        let present = known.withLock { $0 }
        if let version, present.schemaVersion == version { return (present.tables, present.isMirrored) }
        let tables = try HistoryTables(connection, model: model, layout: layout)
        let isMirrored = try MirroringTables.first(on: connection) != nil
        known.withLock { $0 = Known(schemaVersion: version, tables: tables, isMirrored: isMirrored) }
        return (tables, isMirrored)
    }
}
