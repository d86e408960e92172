#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// The opening of a store on a server.
struct ServerOpening {
    let model: CompiledModel
    let options: StoreOptions
    let serverOptions: PostgresOptions
    let pool: PostgresPool

    /// The schema of the server, and the store's row, if there is a store.
    struct Found {
        var catalog: ServerCatalog
        var record: ServerRecord?
    }

    init(model: CompiledModel, options: StoreOptions, serverOptions: PostgresOptions) throws {
        self.model = model
        self.options = options
        self.serverOptions = serverOptions
        try serverOptions.check()
        pool = PostgresPool(serverOptions.address)
    }

    private var schema: String { serverOptions.schema }
    private var place: String { serverOptions.place }

    /// Opens the store, or creates it if it does not exist and the options allow that.
    ///
    /// Nothing is written if the store exists and has everything that the model needs.
    func store() throws -> PostgresStore {
        do {
            return try withConnection { connection in
                let opened = try self.store(connection)
                try prepareHistory(of: opened, connection)
                // The work locks tables whose triggers the history needs.
                opened.store.doPendingWork(of: opened.migration, hasOwnIndexes: opened.hasOwnIndexes)
                return opened.store
            }
        } catch {
            try? pool.close(within: .zero)
            throw error
        }
    }

    /// A store, and the work that is left to do on its tables when it is opened.
    struct Opened {
        let store: PostgresStore
        let migration: ServerMigrationState
        /// Whether the store's own tables have their indexes.
        var hasOwnIndexes = true
    }

    private func store(_ connection: PostgresConnection) throws -> Opened {
        let found = try look(connection)
        guard let record = found.record else { return try create(connection) }
        return try open(migrated(found, record: record, connection), connection)
    }

    /// Calls a closure with a connection, and translates errors.
    func withConnection<Result>(
        while action: String = "open", _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        try serverOptions.translating(while: action) {
            let waiting = min(options.busyTimeout, StoreOptions.longestTimeout)
            return try pool.withConnection(for: action, until: .now + .seconds(waiting)) { connection in
                connection.watch = options.watch
                return try body(connection)
            }
        }
    }

    /// Reads what the schema has, in one state and without changing anything.
    func look(_ connection: PostgresConnection) throws -> Found {
        try connection.transaction(TransactionOptions(.repeatableRead, isReadOnly: true)) { try read(connection) }
    }

    func read(_ connection: PostgresConnection) throws -> Found {
        let catalog = try ServerCatalog(connection, schema: schema)
        guard catalog.hasStore else { return Found(catalog: catalog) }
        return Found(catalog: catalog, record: try ServerRecord(connection, schema: schema, place: place))
    }

    /// Runs a closure in a transaction that only one program at a time has for this store.
    ///
    /// Each statement reads what was committed before it, so that a program that has waited sees the work of earlier programs.
    func alone<Result>(
        _ connection: PostgresConnection, _ body: () throws -> Result
    ) throws -> Result {
        var transaction = TransactionOptions(.readCommitted)
        var timeouts = connection.address.timeouts
        // The first of several programs creates everything while the rest wait.
        let waiting = Duration.seconds(max(30, min(options.busyTimeout, StoreOptions.longestTimeout)))
        timeouts.lock = timeouts.lock.map { max($0, waiting) }
        timeouts.statement = timeouts.statement.map { max($0, waiting + .seconds(1)) }
        transaction.timeouts = timeouts
        return try AdvisoryLock.tables(ofSchema: schema)
            .transaction(on: connection, transaction, within: waiting, thenLockingWithin: timeouts.lock, body)
    }

    /// Runs a closure, and closes the connections of this opening, which leaves no store open.
    func closing<Result>(_ body: () throws -> Result) rethrows -> Result {
        defer { try? pool.close(within: .zero) }
        return try body()
    }

    // MARK: Stores that exist

    /// Opens a store that has the model's version.
    private func open(_ found: Found, _ connection: PostgresConnection) throws -> Opened {
        guard let record = found.record else { throw CoreDataError.storeIsClosed }
        let tables = try tables(record, in: found.catalog)
        let catalog = try mended(found, record: record, connection: connection)
        let (current, warning) = indexed(record, for: tables.writer, in: catalog, on: connection)
        let differences = ServerDifferences(
            writer: tables.writer, catalog: catalog, migration: current.migration,
            isOlder: current.isOlder(model.versionHashes))
        if let error = differences.error(place: place) { throw error }
        let raisesVersions = try raisingVersions(tables.writer, in: catalog, on: connection)
        let search = searched(tables.writer, in: catalog, on: connection)
        var layout = tables.layout
        layout.add(search.columns)
        let store = make(
            current.metadata, layout: layout, names: tables.names, home: current.home, raisesVersions: raisesVersions)
        for warning in [warning, search.warning].compactMap(\.self) { store.upkeep.warnings.report(warning) }
        return Opened(store: store, migration: current.migration, hasOwnIndexes: found.catalog.hasOwnIndexes)
    }

    /// Creates the folding functions of this version, if they are missing. Other missing parts need a decision.
    private func mended(
        _ found: Found, record: ServerRecord, connection: PostgresConnection
    ) throws -> ServerCatalog {
        guard !found.catalog.hasFoldingFunctions, !options.isReadOnly, serverOptions.changes != .never else {
            return found.catalog
        }
        return try alone(connection) {
            var statements = FoldingFunctions.creation(schema: schema).map { SQLStatement.command($0) }
            let parameters = Parameters()
            parameters.append(Int64(TextFolding.version))
            statements.append(
                .command(
                    "UPDATE \(SQLName.alwaysQuoted(schema)).\"_sworm\" SET \"fold\" = $1 WHERE \"fold\" < $1",
                    with: parameters))
            _ = try connection.run(statements)
            return try ServerCatalog(connection, schema: schema)
        }
    }

    /// Returns the tables that the model needs in a store.
    ///
    /// - Throws: ``CoreDataError`` if the store does not have all entities.
    func tables(
        _ record: ServerRecord, in catalog: ServerCatalog
    ) throws -> (names: PostgresNames, layout: StoreLayout, writer: ServerSchemaWriter) {
        let known = self.names(in: record)
        var names = known
        let layout = StoreLayout(postgres: model, schema: schema, names: &names) { attribute in
            storesSeconds(attribute, names: known, catalog: catalog)
        }
        // A number that is not stored could be given to another entity by another program.
        if names.numbers != known.numbers {
            let new = names.numbers.keys.filter { known.numbers[$0] == nil }.sorted()
            throw CoreDataError(
                NSPersistentStoreIncompatibleVersionHashError,
                "The store '\(place)' does not have the entities \(new.map { "'\($0)'" }.joined(separator: ", ")) of the model. Migrate the store.",
                entity: new.first)
        }
        return (
            names, layout, ServerSchemaWriter(schema: schema, tables: ServerTables(model: model, layout: layout))
        )
    }

    /// Returns how the dates of an attribute are stored: as in the present column, or else as the options require.
    func storesSeconds(
        _ attribute: CompiledAttribute, names: PostgresNames, catalog: ServerCatalog
    ) -> Bool {
        let entity = model[attribute.owner]
        if let table = names.tables[model[entity.root].name],
            let column = names.columns[PostgresNames.property(attribute.name, of: entity.name)],
            let present = catalog.columns[table]?[column]
        {
            return present.type == "double precision"
        }
        return storesNewSeconds(attribute)
    }

    /// Returns whether the dates of an attribute that has no column yet are stored with all their digits.
    func storesNewSeconds(_ attribute: CompiledAttribute) -> Bool {
        serverOptions.dates == .doubles || attribute.serverTraits.contains(.exactDate)
    }

    private func make(
        _ metadata: StoreMetadata, layout: StoreLayout, names: PostgresNames, home: ServerHome, raisesVersions: Bool
    ) -> PostgresStore {
        PostgresStore(
            model: model, options: options, serverOptions: serverOptions, pool: pool,
            schema: ServerSchema(
                model: model, layout: layout, names: names, identifier: metadata.identifier,
                raisesVersions: raisesVersions),
            metadata: metadata, home: home)
    }

    // MARK: New stores

    private func create(_ connection: PostgresConnection) throws -> Opened {
        try requireCreation()
        var names = PostgresNames()
        var layout = StoreLayout(
            postgres: model, schema: schema, names: &names, storesSeconds: storesNewSeconds)
        let writer = ServerSchemaWriter(schema: schema, tables: ServerTables(model: model, layout: layout))
        let metadata = StoreMetadata(
            newStoreOf: StoreMetadata.postgresType, model: model, identifier: options.identifier ?? UUID())
        let found = try alone(connection) {
            let found = try read(connection)
            // Another program has just created the store. It is used if it fits the model.
            if found.record != nil { return found }
            try requireFreeNames(writer, catalog: found.catalog)
            try ServerProbe.check(connection)
            var statements = writer.statements(creatingSchema: !found.catalog.hasSchema).map {
                SQLStatement.command($0)
            }
            if serverOptions.raisesForeignVersions {
                statements += writer.versionTriggers(on: writer.versionedTables).map { .command($0) }
            }
            statements += try rows(
                of: metadata, names: names, indexes: writer.tables.indexes, ownsSchema: !found.catalog.hasSchema)
            _ = try connection.run(statements)
            return Found(
                catalog: found.catalog, record: try ServerRecord(connection, schema: schema, place: place))
        }
        guard let record = found.record else { throw CoreDataError.storeIsClosed }
        if record.metadata.identifier == metadata.identifier {
            layout.add(writer.tables.searchColumns)
            let store = make(
                metadata, layout: layout, names: names, home: record.home,
                raisesVersions: serverOptions.raisesForeignVersions)
            return Opened(store: store, migration: record.migration)
        }
        return try open(migrated(found, record: record, connection), connection)
    }

    func requireCreation() throws {
        if options.isReadOnly || !options.createsMissingFile || serverOptions.changes == .never {
            let reason = options.isReadOnly ? "it was to be opened read-only" : "the options do not allow creating one"
            throw CoreDataError(
                CocoaError.Code.fileReadNoSuchFile.rawValue,
                "There is no store in the schema '\(schema)' at \(serverOptions.address), and \(reason).")
        }
        guard model.storeHashes == nil else {
            throw CoreDataError(
                NSPersistentStoreOpenError,
                "The store '\(place)' cannot be created with a model that was inferred from another store: an inferred model is incomplete. Use the model that the other store was written with."
            )
        }
    }

    /// Throws an error if the schema already has tables of the names that the store needs.
    func requireFreeNames(_ writer: ServerSchemaWriter, catalog: ServerCatalog) throws {
        let needed = writer.ownTables.map(\.name) + writer.tables.tables.map(\.name)
        let taken = needed.filter { catalog.columns[$0] != nil }
        guard !taken.isEmpty else { return }
        let list = taken.map { "\"\($0)\"" }.joined(separator: ", ")
        throw CoreDataError(
            NSPersistentStoreOpenError,
            "The store '\(place)' cannot be created: the schema already has \(taken.count == 1 ? "the table" : "the tables") \(list), and is no store. Use another schema, or move the tables.",
            condition: .notAStore)
    }

    /// Returns the statements that fill the store's own tables.
    func rows(
        of metadata: StoreMetadata, names: PostgresNames, indexes: [ServerIndex], ownsSchema: Bool
    ) throws -> [SQLStatement] {
        let prefix = SQLName.alwaysQuoted(schema) + "."
        let parameters = Parameters()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let list = String(decoding: try encoder.encode(names), as: UTF8.self)
        parameters.append(ServerSchemaWriter.format)
        parameters.append(UUID(uuidString: metadata.identifier) ?? UUID())
        guard parameters.append(metadata.propertyList), parameters.append(json: list) else {
            throw CoreDataError(NSPersistentStoreSaveError, "The metadata of the store '\(place)' cannot be written.")
        }
        parameters.append(Int64(TextFolding.version))
        parameters.append(ownsSchema)
        var migration = ServerMigrationState()
        migration.indexes = ServerIndexes(indexes)
        guard parameters.append(json: try migration.json) else {
            throw CoreDataError(NSPersistentStoreSaveError, "The indexes of the store '\(place)' cannot be noted.")
        }
        // A model that is too long for a message can be found in the program.
        if !(options.modelCache.map { parameters.append($0) } ?? false) { parameters.appendNull(.bytea) }
        return [
            .command(
                "INSERT INTO \(prefix)\"_sworm\" (\"id\", \"format\", \"store\", \"metadata\", \"names\", \"fold\", \"owns_schema\", \"migration\", \"model\") VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8)",
                with: parameters),
            .command("INSERT INTO \(prefix)\"_sworm_writer\" (\"id\") VALUES (1)"),
        ]
    }
}
#endif
