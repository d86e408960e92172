#if PostgreSQL
import Foundation
import SwormPostgres

/// A store on a server that is not open.
struct StoreOnServer {
    private let opening: ServerOpening
    private var schema: String { opening.serverOptions.schema }
    private var place: String { opening.serverOptions.place }
    private var prefix: String { SQLName.alwaysQuoted(schema) + "." }

    init(_ serverOptions: PostgresOptions, options: StoreOptions) throws {
        // The model is not used: a store of any model is accepted.
        opening = try ServerOpening(
            model: CompiledModel(entities: []), options: options, serverOptions: serverOptions)
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

    func metadata() throws -> [String: Any] {
        try withConnection { connection in
            guard let record = try opening.look(connection).record else { throw missing }
            return record.metadata.dictionary
        }
    }

    /// Replaces the application's part of the metadata.
    func setMetadata(_ metadata: [String: Any]) throws {
        try withConnection(while: "save") { connection in
            guard try opening.look(connection).record != nil else { throw missing }
            try connection.transaction(TransactionOptions(.readCommitted)) {
                try connection.run("SELECT 1 FROM \(prefix)\"_sworm\" FOR NO KEY UPDATE")
                let current = try ServerRecord(connection, schema: schema, place: place).metadata
                let parameters = Parameters()
                guard parameters.append(try current.replacingApplicationKeys(with: metadata).propertyList) else {
                    throw CoreDataError(NSPersistentStoreSaveError, "The metadata are too long for the server.")
                }
                try connection.run("UPDATE \(prefix)\"_sworm\" SET \"metadata\" = $1", with: parameters)
            }
        }
    }

    // MARK: Destroying

    /// Removes the tables and functions of the store, and the schema if it was created with the store and is empty then.
    /// A missing store is ignored.
    ///
    /// - Parameter isForced: Whether to remove the store even if the schema has other objects, which stay, except those
    ///   that depend on the store's tables, such as views.
    /// - Throws: ``CoreDataError`` if the schema has no store but other objects, or if it has other objects beside the
    ///   store. Nothing is removed then.
    func destroy(isForced: Bool) throws {
        try withConnection(while: "remove") { connection in
            try opening.alone(connection) {
                let catalog = try ServerCatalog(connection, schema: schema)
                guard catalog.hasSchema else { return }
                guard catalog.hasStore else {
                    if try foreignObjects(connection, own: []).isEmpty { return }
                    throw CoreDataError(
                        NSPersistentStoreOperationError,
                        "The schema '\(schema)' at \(opening.serverOptions.address) is no store and was not removed. Remove it yourself if it is not needed.",
                        condition: .notAStore)
                }
                try remove(
                    ServerRecord(connection, schema: schema, place: place), catalog, on: connection, isForced: isForced)
            }
        }
    }

    func remove(
        _ record: ServerRecord, _ catalog: ServerCatalog, on connection: PostgresConnection, isForced: Bool
    ) throws {
        let own = PostgresNames.ownTables.union(record.names.tables.values)
        let foreign = try foreignObjects(connection, own: own)
        if !foreign.isEmpty, !isForced {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "The store '\(place)' was not removed: its schema also has \(foreign.joined(separator: ", ")), which the store has not made. Move them, or set \(NSPersistentStoreForceDestroyOption) to remove the store and all that depends on its tables."
            )
        }
        let end = isForced ? " CASCADE" : ""
        let tables = own.filter { catalog.columns[$0] != nil }.sorted().map { prefix + SQLName.alwaysQuoted($0) }
        var statements = ["DROP TABLE \(tables.joined(separator: ", "))\(end)"]
        let functions = catalog.functions.filter { $0.hasPrefix(FoldingFunctions.commonPrefix) }.sorted()
        if !functions.isEmpty {
            let list = functions.map { "\(prefix)\(SQLName.alwaysQuoted($0))(pg_catalog.text)" }
            statements.append("DROP FUNCTION \(list.joined(separator: ", "))\(end)")
        }
        let triggers = catalog.functions.filter { name in
            [HistoryTriggers.prefix, ServerSync.functionPrefix, VersionTriggers.name].contains { name.hasPrefix($0) }
        }.sorted()
        if !triggers.isEmpty {
            let list = triggers.map { "\(prefix)\(SQLName.alwaysQuoted($0))()" }
            statements.append("DROP FUNCTION \(list.joined(separator: ", "))\(end)")
        }
        _ = try connection.run(statements.map { .command($0) })
        if record.ownsSchema, try foreignObjects(connection, own: []).isEmpty {
            try connection.run(.command("DROP SCHEMA \(SQLName.alwaysQuoted(schema))"))
        }
    }

    /// Returns the objects of the schema that are not the store's, for messages.
    ///
    /// - Parameter own: The tables of the store. Indexes, sequences and types of a table belong to it.
    private func foreignObjects(_ connection: PostgresConnection, own: Set<String>) throws -> [String] {
        let parameters = Parameters()
        guard parameters.append(schema), parameters.append(own.sorted().map { Optional($0) }) else { return [] }
        let result = try connection.run(
            """
            WITH s AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)
            SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence'
              WHEN 'c' THEN 'type' WHEN 'f' THEN 'foreign table' ELSE 'table' END AS kind, c.relname::text AS name
            FROM s JOIN pg_catalog.pg_class c ON c.relnamespace = s.oid
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'c', 'f') AND NOT c.relname::text = ANY($2)
              AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass
                AND d.objid = c.oid AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.deptype IN ('i', 'a'))
            UNION ALL
            SELECT 'function', p.proname::text FROM s JOIN pg_catalog.pg_proc p ON p.pronamespace = s.oid
            WHERE NOT pg_catalog.starts_with(p.proname::text, '\(FoldingFunctions.commonPrefix)')
              AND NOT pg_catalog.starts_with(p.proname::text, '\(HistoryTriggers.prefix)')
              AND NOT pg_catalog.starts_with(p.proname::text, '\(ServerSync.functionPrefix)')
              AND NOT pg_catalog.starts_with(p.proname::text, '\(VersionTriggers.name)')
            UNION ALL
            SELECT 'type', t.typname::text FROM s JOIN pg_catalog.pg_type t ON t.typnamespace = s.oid
            WHERE t.typtype IN ('e', 'd', 'r')
            ORDER BY 1, 2
            """, with: parameters)
        return try (0..<result.rowCount).map { row in
            "the \(try result.string(row, column: 0) ?? "") \"\(try result.string(row, column: 1) ?? "")\""
        }
    }
}
#endif
