#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// The removal of what older versions of a model have left in the tables of a store.
struct ServerContract {
    private let opening: ServerOpening
    private var schema: String { opening.serverOptions.schema }
    private var place: String { opening.serverOptions.place }
    private var prefix: String { SQLName.alwaysQuoted(schema) + "." }

    init(_ serverOptions: PostgresOptions, options: StoreOptions) throws {
        // The model is not used: only the newest version of the store remains.
        opening = try ServerOpening(
            model: CompiledModel(entities: []), options: options, serverOptions: serverOptions)
    }

    /// Returns the statements that remove what is left, without running them.
    func plan() throws -> [String] {
        try withConnection { connection in
            let found = try opening.look(connection)
            guard let record = found.record else { throw missing }
            return statements(for: record.migration, in: found.catalog)
        }
    }

    /// Removes what is left. Programs with older versions cannot use the store afterwards.
    ///
    /// - Returns: The statements that were run.
    /// - Throws: ``CoreDataError``. Nothing has changed then.
    func run() throws -> [String] {
        try withConnection(while: "migrate") { connection in
            let migration = ServerMigration(opening: opening)
            return try migration.repeating {
                guard try opening.look(connection).record != nil else { throw missing }
                return try migration.locked(connection, within: $0) { try run(migration, on: connection) }
            }
        }
    }

    /// Calls a closure with a connection, which is closed afterwards.
    private func withConnection<Result>(
        while action: String = "open", _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        // Connections that are closed are not opened again, and there may be another call.
        let opening = try ServerOpening(
            model: opening.model, options: opening.options, serverOptions: opening.serverOptions)
        return try opening.closing { try opening.withConnection(while: action, body) }
    }

    private var missing: CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadNoSuchFile.rawValue,
            "There is no store in the schema '\(schema)' at \(opening.serverOptions.address).")
    }

    private func run(_ migration: ServerMigration, on connection: PostgresConnection) throws -> [String] {
        let record = try ServerRecord(connection, schema: schema, place: place)
        var state = record.migration
        guard state.prepared == nil else {
            throw CoreDataError(
                NSMigrationError,
                "The store '\(place)' is being migrated. Open it with the newest version of the model first, which completes the migration."
            )
        }
        let statements = statements(for: state, in: try ServerCatalog(connection, schema: schema))
        guard !statements.isEmpty || !state.older.isEmpty else { return [] }
        _ = try connection.run(statements.map { .command($0) })
        state.retired.formUnion(state.older.map { VersionHash.digest(of: $0.hashes) })
        state.current = record.currentHashes
        state.older = []
        state.syncs = []
        state.leftovers = ServerLeftovers()
        try migration.write(state, names: record.names.withoutLeftovers, on: connection)
        return statements
    }

    private func statements(for state: ServerMigrationState, in catalog: ServerCatalog) -> [String] {
        func name(_ name: String) -> String { prefix + SQLName.alwaysQuoted(name) }
        let leftovers = state.leftovers
        var statements = state.syncs.flatMap { $0.removal(in: prefix) }
        let indexes = leftovers.indexes.map { name($0.name) }.sorted()
        if !indexes.isEmpty { statements.append("DROP INDEX IF EXISTS \(indexes.joined(separator: ", "))") }
        let tables = Set(leftovers.columns.map(\.table) + leftovers.defaults.map(\.table))
        for table in tables.sorted() where !leftovers.tables.contains(table) {
            let names = leftovers.columns.filter { $0.table == table }.map(\.name)
            // A column for searches depends on the column whose strings it has.
            let columns = (names.compactMap { catalog.searchColumns[table]?[$0] } + names).map {
                "DROP COLUMN IF EXISTS \(SQLName.alwaysQuoted($0))"
            }
            let removed = Set(names)
            let defaults = leftovers.defaults.filter { $0.table == table && !removed.contains($0.column) }.map {
                "ALTER COLUMN \(SQLName.alwaysQuoted($0.column)) SET DEFAULT \($0.value)"
            }
            statements.append("ALTER TABLE \(name(table)) \((columns + defaults).joined(separator: ", "))")
        }
        if !leftovers.tables.isEmpty {
            statements.append("DROP TABLE IF EXISTS \(leftovers.tables.map(name).joined(separator: ", "))")
        }
        return statements
    }
}

extension PostgresNames {
    /// The names without those of tables and columns that were removed. Numbers are not given again.
    fileprivate var withoutLeftovers: PostgresNames {
        var result = self
        result.tables = tables.filter { !$0.key.hasPrefix(Self.leftover) }
        result.columns = columns.filter { !$0.key.contains(".\(Self.leftover)") }
        return result
    }
}
#endif
