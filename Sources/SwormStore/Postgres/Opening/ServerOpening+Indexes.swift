#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

// Indexes, which programs with one version of the model can have more or fewer of.
extension ServerOpening {
    /// The longest time to wait for another program before a store is opened without its new indexes.
    private static let indexPatience = Duration.seconds(2)

    /// Returns the change of the indexes that the model needs; nil without one.
    func indexChange(
        _ record: ServerRecord, for writer: ServerSchemaWriter, in catalog: ServerCatalog
    ) -> ServerIndexChange? {
        // Indexes of an older version are those of its tables; a migration that is running provides its own.
        guard model.versionHashes == record.currentHashes, record.migration.prepared == nil else { return nil }
        let change = ServerIndexChange(
            writer.tables.indexes, present: catalog.indexes, state: record.migration,
            prefix: SQLName.alwaysQuoted(serverOptions.schema) + ".")
        return change.isNeeded ? change : nil
    }

    /// Plans the indexes that the model needs and the store does not have: they are created while the store is used.
    ///
    /// - Returns: The record of the store with that work, and the reason why it was not planned. A store without an index can
    ///   be used.
    func indexed(
        _ record: ServerRecord, for writer: ServerSchemaWriter, in catalog: ServerCatalog,
        on connection: PostgresConnection
    ) -> (record: ServerRecord, warning: CoreDataError?) {
        guard !options.isReadOnly, !options.ignoresVersion, serverOptions.changes != .never,
            indexChange(record, for: writer, in: catalog) != nil
        else { return (record, nil) }
        let migration = ServerMigration(opening: self)
        do {
            let new = try migration.locked(connection, within: Self.indexPatience) { () -> ServerRecord? in
                let found = try read(connection)
                // Another program may have been faster.
                guard let record = found.record, let change = indexChange(record, for: writer, in: found.catalog) else {
                    return found.record
                }
                _ = try connection.run(change.statements.map { .command($0) })
                try migration.write(change.state, model: options.modelCache, on: connection)
                return try ServerRecord(connection, schema: serverOptions.schema, place: serverOptions.place)
            }
            return (new ?? record, nil)
        } catch {
            let reason = (error as? ServerError)?.message ?? "\(error)"
            return (
                record,
                CoreDataError(
                    NSPersistentStoreOperationError,
                    "The indexes of the model were not created in the store '\(serverOptions.place)', which can be used without them: \(reason). They are created when the store is opened next, or by 'sworm-tool migrate'.",
                    cause: error)
            )
        }
    }
}
#endif
