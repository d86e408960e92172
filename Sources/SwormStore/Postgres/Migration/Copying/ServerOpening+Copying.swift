#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

extension ServerOpening {
    /// Creates the store with the content of another one, in one transaction.
    ///
    /// - Parameters:
    ///   - source: The state of the other store, whose model is the same.
    ///   - metadata: The other store's metadata, of which the application's part is copied.
    ///   - replacing: Whether to remove a store that exists. Otherwise it is an error.
    /// - Throws: ``CoreDataError`` for a value that a server cannot store. Nothing has changed then.
    func copy(
        _ source: any CopySource, metadata other: [String: Any], replacing: Bool
    ) throws -> CopyReport {
        try requireCreation()
        let schema = serverOptions.schema
        var names = PostgresNames()
        let layout = StoreLayout(
            postgres: model, schema: schema, names: &names, storesSeconds: storesNewSeconds)
        let writer = ServerSchemaWriter(schema: schema, tables: ServerTables(model: model, layout: layout))
        let metadata = try StoreMetadata(
            newStoreOf: StoreMetadata.postgresType, model: model, identifier: options.identifier ?? UUID()
        ).replacingApplicationKeys(with: other)
        return try withConnection(while: "copy") { connection in
            var transaction = TransactionOptions(.readCommitted)
            var timeouts = connection.address.timeouts
            // Reading the other store takes as long as it takes.
            (timeouts.statement, timeouts.idle, timeouts.lock) = (nil, nil, .seconds(30))
            transaction.timeouts = timeouts
            return try AdvisoryLock.tables(ofSchema: schema).transaction(
                on: connection, transaction, within: .seconds(30), thenLockingWithin: timeouts.lock
            ) {
                try ServerProbe.check(connection)
                let hasSchema = try makeRoom(for: writer, replacing: replacing, on: connection)
                let tables = writer.tables.tables.map { table -> ServerTable in
                    var table = table
                    // Values that are missing in the other store become known while its rows are copied.
                    for place in table.columns.indices { table.columns[place].isRequired = false }
                    return table
                }
                let prefix = SQLName.alwaysQuoted(schema) + "."
                let creation =
                    (hasSchema ? [] : [ServerSchemaWriter.creation(ofSchema: schema)]) + writer.ownParts
                    + FoldingFunctions.creation(schema: schema) + tables.flatMap { $0.definition(in: prefix) }
                _ = try connection.run(creation.map { .command($0) })
                var report = CopyReport()
                try ServerCopyTarget(
                    connection: connection, model: model, layout: layout, tables: writer.tables, prefix: prefix
                ).write(source, &report)
                _ = try connection.run(
                    writer.completion.map { .command($0) }
                        + rows(
                            of: metadata, names: names, indexes: writer.tables.indexes, ownsSchema: !hasSchema))
                return report
            }
        }
    }

    /// Removes the store that the schema has, if that is wanted, and checks that the names of the tables are free.
    ///
    /// - Returns: Whether the schema exists.
    private func makeRoom(
        for writer: ServerSchemaWriter, replacing: Bool, on connection: PostgresConnection
    ) throws -> Bool {
        let found = try read(connection)
        guard let record = found.record else {
            try requireFreeNames(writer, catalog: found.catalog)
            return found.catalog.hasSchema
        }
        guard replacing else {
            throw CoreDataError(
                CocoaError.Code.fileWriteFileExists.rawValue,
                """
                The schema '\(serverOptions.schema)' at \(serverOptions.address) has a store already. \
                Use another schema, or replace the store.
                """
            )
        }
        let store = try StoreOnServer(serverOptions, options: options)
        try store.remove(record, found.catalog, on: connection, isForced: false)
        let catalog = try ServerCatalog(connection, schema: serverOptions.schema)
        try requireFreeNames(writer, catalog: catalog)
        return catalog.hasSchema
    }
}
#endif
