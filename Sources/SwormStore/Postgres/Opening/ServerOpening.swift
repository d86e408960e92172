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
        try withConnection { connection in
            let store = try store(connection)
            try prepareHistory(of: store, connection)
            return store
        }
    }

    private func store(_ connection: PostgresConnection) throws -> PostgresStore {
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
        return try connection.transaction(transaction) {
            let parameters = Parameters()
            parameters.append(Self.lockNumber(ofSchema: schema))
            try connection.run(.command("SELECT pg_catalog.pg_advisory_xact_lock($1)", with: parameters))
            return try body()
        }
    }

    /// The number of the advisory lock for a schema, which is the same in all programs.
    static func lockNumber(ofSchema schema: String) -> Int64 {
        SHA2.sha256(Array("sworm \(schema)".utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    // MARK: Stores that exist

    /// Opens a store that has the model's version.
    private func open(_ found: Found, _ connection: PostgresConnection) throws -> PostgresStore {
        guard let record = found.record else { throw CoreDataError.storeIsClosed }
        let store = try open(record, in: mended(found, record: record, connection: connection))
        store.doPendingWork(of: record.migration)
        return store
    }

    /// Creates the folding functions of this version, if they are missing. Other missing parts need a decision.
    private func mended(
        _ found: Found, record: ServerRecord, connection: PostgresConnection
    ) throws -> ServerCatalog {
        guard !found.catalog.hasFoldingFunctions, !options.isReadOnly, serverOptions.changes != .never else {
            return found.catalog
        }
        return try alone(connection) {
            var statements = FoldingFunctions.statements(schema: schema).map { SQLStatement.command($0) }
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

    private func open(_ record: ServerRecord, in catalog: ServerCatalog) throws -> PostgresStore {
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
        let writer = ServerSchemaWriter(schema: schema, tables: ServerTables(model: model, layout: layout))
        let differences = ServerDifferences(writer: writer, catalog: catalog, migration: record.migration)
        if let error = differences.error(place: place) { throw error }
        return make(record.metadata, layout: layout, names: names, home: record.home)
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
        return serverOptions.dates == .doubles
    }

    private func make(
        _ metadata: StoreMetadata, layout: StoreLayout, names: PostgresNames, home: ServerHome
    ) -> PostgresStore {
        PostgresStore(
            model: model, options: options, serverOptions: serverOptions, pool: pool,
            schema: ServerSchema(model: model, layout: layout, names: names, identifier: metadata.identifier),
            metadata: metadata, home: home)
    }

    // MARK: New stores

    private func create(_ connection: PostgresConnection) throws -> PostgresStore {
        try requireCreation()
        let storesSeconds = serverOptions.dates == .doubles
        var names = PostgresNames()
        let layout = StoreLayout(postgres: model, schema: schema, names: &names) { _ in storesSeconds }
        let writer = ServerSchemaWriter(schema: schema, tables: ServerTables(model: model, layout: layout))
        let metadata = StoreMetadata(
            newStoreOf: StoreMetadata.postgresType, model: model, identifier: options.identifier ?? UUID())
        let found = try alone(connection) {
            let found = try read(connection)
            // Another program has just created the store. It is used if it fits the model.
            if found.record != nil { return found }
            try requireFreeNames(writer, catalog: found.catalog)
            var statements = writer.statements(creatingSchema: !found.catalog.hasSchema).map {
                SQLStatement.command($0)
            }
            statements += try rows(of: metadata, names: names, ownsSchema: !found.catalog.hasSchema)
            _ = try connection.run(statements)
            return Found(
                catalog: found.catalog, record: try ServerRecord(connection, schema: schema, place: place))
        }
        guard let record = found.record else { throw CoreDataError.storeIsClosed }
        if record.metadata.identifier == metadata.identifier {
            return make(metadata, layout: layout, names: names, home: record.home)
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
        of metadata: StoreMetadata, names: PostgresNames, ownsSchema: Bool
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
        // A model that is too long for a message can be found in the program.
        if !(options.modelCache.map { parameters.append($0) } ?? false) { parameters.appendNull(.bytea) }
        return [
            .command(
                "INSERT INTO \(prefix)\"_sworm\" (\"id\", \"format\", \"store\", \"metadata\", \"names\", \"fold\", \"owns_schema\", \"model\") VALUES (1, $1, $2, $3, $4, $5, $6, $7)",
                with: parameters),
            .command("INSERT INTO \(prefix)\"_sworm_writer\" (\"id\") VALUES (1)"),
        ]
    }
}

extension ServerCatalog {
    /// Whether the schema has the folding functions of this version.
    var hasFoldingFunctions: Bool {
        functions.isSuperset(of: FoldingFunctions.names)
    }
}

extension FoldingFunctions {
    /// The names of all functions, without their schema.
    static var names: [String] { [nameOfMarkSorting] + TextFolding.allCases.map { name(of: $0) } }

    /// The start of the names of the functions of all versions.
    static var commonPrefix: String { "_sworm_fold" }
}
#endif
