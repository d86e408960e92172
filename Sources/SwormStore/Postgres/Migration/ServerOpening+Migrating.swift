#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

extension ServerOpening {
    /// Returns what the schema has after the store was migrated to the model, if that is needed.
    ///
    /// Nothing is sent to the server if the tables serve the model's version.
    ///
    /// - Throws: ``CoreDataError`` if the store has another version of the model and must not be migrated.
    func migrated(_ found: Found, record: ServerRecord, _ connection: PostgresConnection) throws -> Found {
        guard !options.ignoresVersion, record.names(serving: model.versionHashes) == nil else { return found }
        let migration = ServerMigration(opening: self)
        if options.isReadOnly { throw migration.differences(record) ?? CoreDataError.storeIsClosed }
        guard serverOptions.changes == .never else { return try migration.run(on: connection) }
        let plan = try migration.plan(found.catalog, record)
        throw migration.refusal(plan, of: record) ?? CoreDataError.storeIsClosed
    }

    /// Returns the statements that opening the store would run on the server, in their order; empty if it has everything.
    ///
    /// - Throws: ``CoreDataError`` if there is no store, or no plan.
    func migrationPlan() throws -> [String] {
        try withConnection { connection in
            let found = try look(connection)
            guard let record = found.record else {
                throw CoreDataError(
                    CocoaError.Code.fileReadNoSuchFile.rawValue, "There is no store at \(serverOptions.place).")
            }
            let prefix = SQLName.alwaysQuoted(serverOptions.schema) + "."
            guard record.names(serving: model.versionHashes) == nil else {
                let tables = try tables(record, in: found.catalog)
                let change = indexChange(record, for: tables.writer, in: found.catalog)
                let search =
                    serverOptions.changes == .all ? searchColumns(tables.writer, in: found.catalog).missing : []
                return search.map { $0.addition(in: prefix) } + (change?.statements ?? [])
                    + (change?.state ?? record.migration).work.flatMap { $0.sql(in: prefix) }
            }
            let migration = ServerMigration(opening: self)
            let plan = try migration.plan(found.catalog, record)
            if !plan.obstacles.isEmpty, let refusal = migration.refusal(plan, of: record) { throw refusal }
            return plan.sql(in: prefix)
        }
    }

    /// Returns the names that the model's version has in a store.
    func names(in record: ServerRecord) -> PostgresNames {
        record.names(serving: model.versionHashes) ?? record.names
    }

    /// Returns a store for statements in a transaction that has migrated the tables.
    func preliminaryStore(
        _ record: ServerRecord, names: PostgresNames, in catalog: ServerCatalog
    ) throws -> PostgresStore {
        var all = names
        let layout = StoreLayout(postgres: model, schema: serverOptions.schema, names: &all) { attribute in
            storesSeconds(attribute, names: names, catalog: catalog)
        }
        return PostgresStore(
            model: model, options: options, serverOptions: serverOptions, pool: PostgresPool(serverOptions.address),
            schema: ServerSchema(model: model, layout: layout, names: all, identifier: record.metadata.identifier),
            metadata: record.metadata, home: record.home)
    }
}
#endif
