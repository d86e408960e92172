#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// The migration of a store on a server to the model of a program.
///
/// It consists of transactions that change the tables, fill columns by parts and make the new version known. One program at
/// a time runs them; programs that open the store during the migration continue with the next one, also after the first program has
/// ended.
struct ServerMigration {
    let opening: ServerOpening
    private var model: CompiledModel { opening.model }
    private var options: PostgresOptions { opening.serverOptions }
    private var clock: any MigrationClock { options.clock }
    private var schema: String { options.schema }
    private var place: String { options.place }
    private var prefix: String { SQLName.alwaysQuoted(schema) + "." }

    /// The longest time that a change of a table waits for its lock. Other programs wait behind it.
    static let lockTimeout = Duration.seconds(2)

    /// Migrates the store, and returns what the schema has then.
    ///
    /// - Throws: ``CoreDataError``. The tables are then as they were, or changed in a way that the older versions do not
    ///   notice.
    func run(on connection: PostgresConnection) throws -> ServerOpening.Found {
        try repeating { limit in
            while true { if let found = try step(on: connection, within: limit) { return found } }
        }
    }

    /// Runs a closure again, after pauses, as long as locks are not available.
    ///
    /// - Parameters:
    ///   - failure: Returns the error to throw when no time is left; nil for that of a migration.
    ///   - body: Gets the time that is left.
    func repeating<Result>(
        otherwise failure: ((ServerError) -> CoreDataError)? = nil, _ body: (Duration) throws -> Result
    ) throws -> Result {
        let end = clock.now.advanced(by: .seconds(min(opening.options.busyTimeout, StoreOptions.longestTimeout)))
        var pauses = MigrationPauses()
        while true {
            do {
                return try body(end - clock.now)
            } catch let error as ServerError where error.isLockFailure {
                guard clock.now < end else { throw failure?(error) ?? busy(error) }
                clock.pause(for: pauses.take())
            }
        }
    }

    private func busy(_ error: ServerError) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "The store '\(place)' cannot be migrated now: other transactions use its tables, or another program is migrating it. Nothing has changed for programs with the older model. Try again, with a longer timeout or when there are no long transactions.",
            cause: error, condition: .timedOut)
    }

    // MARK: Steps

    /// Runs the next transaction of the migration.
    ///
    /// - Returns: The record of the schema if its tables serve the model; otherwise nil.
    func step(
        on connection: PostgresConnection, within limit: Duration
    ) throws -> ServerOpening.Found? {
        try locked(connection, within: limit) {
            let found = try opening.read(connection)
            guard let record = found.record else { throw CoreDataError.storeIsClosed }
            if record.names(serving: model.versionHashes) != nil { return found }
            if let prepared = record.migration.prepared {
                try advance(prepared, of: record, on: connection)
            } else {
                try begin(found.catalog, record: record, on: connection)
            }
            return nil
        }
    }

    /// The statement by which a transaction that changes rows waits for programs that write alone, which must meet no conflict.
    static func turn(in prefix: String) -> String { "LOCK TABLE \(prefix)\"_sworm_writer\" IN ROW EXCLUSIVE MODE" }

    /// Runs a closure in a transaction that only one program at a time has, and in which changes of tables wait only shortly
    /// for their locks.
    func locked<Result>(
        _ connection: PostgresConnection, within limit: Duration, _ body: () throws -> Result
    ) throws -> Result {
        var transaction = TransactionOptions(.readCommitted)
        var timeouts = connection.address.timeouts
        timeouts.statement = nil
        transaction.timeouts = timeouts
        // Values that a migration fills in are no conflicts.
        transaction.settings = [VersionTriggers.setting]
        return try AdvisoryLock.tables(ofSchema: schema).transaction(
            on: connection, transaction, within: limit, thenLockingWithin: Self.lockTimeout, clock: clock
        ) {
            _ = try connection.run([
                // Before the row below, for which a program that writes alone may wait.
                .command(Self.turn(in: prefix)),
                // The work on the tables changes the state too.
                .command("SELECT 1 FROM \(prefix)\"_sworm\" FOR NO KEY UPDATE"),
            ])
            return try body()
        }
    }

    private func begin(_ catalog: ServerCatalog, record: ServerRecord, on connection: PostgresConnection) throws {
        let plan = try plan(catalog, record)
        if let error = refusal(plan, of: record) { throw error }
        _ = try connection.run(plan.statements.map { .command($0) })
        let prepared = PreparedMigration(
            hashes: model.versionHashes, names: plan.names, model: opening.options.modelCache,
            metadata: try StoreMetadata.frameworkPart(ofServerStoreOf: model), fills: plan.fills, syncs: plan.syncs,
            leftovers: plan.leftovers, work: plan.work, keepsOlderVersions: plan.keepsOlderVersions,
            indexes: plan.indexes)
        if plan.derivesValues { try deriveValues(record, names: plan.names, on: connection) }
        guard prepared.fills.isEmpty else {
            var state = record.migration
            state.prepared = prepared
            // Another program would create again what the statements have removed.
            let tasks = Set(plan.work.map(\.task))
            state.work.removeAll { !tasks.contains($0.task) }
            return try write(state, on: connection)
        }
        try finish(prepared, of: record, on: connection)
    }

    /// Fills a part of the columns, and makes the new version known after the last part.
    private func advance(
        _ prepared: PreparedMigration, of record: ServerRecord, on connection: PostgresConnection
    ) throws {
        var prepared = prepared
        if var fill = prepared.fills.first {
            let parameters = Parameters()
            parameters.append(fill.progress)
            let result = try connection.run(.command(fill.portion(in: prefix), with: parameters))
            if try result.int(0, column: 0) ?? 0 < ServerFill.portion {
                prepared.fills.removeFirst()
            } else {
                fill.progress = try result.int64(0, column: 1) ?? fill.progress
                prepared.fills[0] = fill
            }
        }
        guard prepared.fills.isEmpty else {
            var state = record.migration
            state.prepared = prepared
            return try write(state, on: connection)
        }
        try finish(prepared, of: record, on: connection)
    }

    /// Makes a new version known, whose columns are filled.
    private func finish(
        _ prepared: PreparedMigration, of record: ServerRecord, on connection: PostgresConnection
    ) throws {
        var state = record.migration
        let former = ServerMigrationState.Version(hashes: record.currentHashes, names: record.names)
        if prepared.keepsOlderVersions {
            state.older.insert(former, at: 0)
        } else {
            state.retired.formUnion(([former] + state.older).map { VersionHash.digest(of: $0.hashes) })
            state.older = []
        }
        state.older.removeAll { $0.hashes == prepared.hashes }
        state.retired.remove(VersionHash.digest(of: prepared.hashes))
        state.current = prepared.hashes
        state.prepared = nil
        state.syncs = prepared.syncs
        state.leftovers = prepared.leftovers
        state.work = prepared.work
        state.indexes = prepared.indexes
        let metadata = try record.metadata.replacingFrameworkPart(with: prepared.metadata)
        let parameters = Parameters()
        guard parameters.append(metadata.propertyList), parameters.append(json: try Self.json(prepared.names)),
            parameters.append(json: try state.json)
        else { throw unwritable }
        if !(prepared.model.map { parameters.append($0) } ?? false) { parameters.appendNull(.bytea) }
        try connection.run(
            .command(
                "UPDATE \(prefix)\"_sworm\" SET \"metadata\" = $1, \"names\" = $2, \"migration\" = $3, \"model\" = $4",
                with: parameters))
    }

    /// Writes the state of the migration, and the names and the archived model of the newest version if they have changed.
    func write(
        _ state: ServerMigrationState, names: PostgresNames? = nil, model: Data? = nil,
        on connection: PostgresConnection
    ) throws {
        let parameters = Parameters()
        var isWritten = parameters.append(json: try state.json)
        if let names { isWritten = try parameters.append(json: Self.json(names)) && isWritten }
        guard isWritten else { throw unwritable }
        var assignments = ["\"migration\" = $1"]
        if names != nil { assignments.append("\"names\" = $2") }
        // A model that is too long for a message can be found in the program.
        if model.map({ parameters.append($0) }) ?? false { assignments.append("\"model\" = $\(parameters.count)") }
        try connection.run(
            .command("UPDATE \(prefix)\"_sworm\" SET \(assignments.joined(separator: ", "))", with: parameters))
    }

    private static func json(_ names: PostgresNames) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(names), as: UTF8.self)
    }

    private var unwritable: CoreDataError {
        CoreDataError(NSPersistentStoreSaveError, "The state of the migration of '\(place)' cannot be written.")
    }

    /// Computes the derived values of all rows.
    private func deriveValues(
        _ record: ServerRecord, names: PostgresNames, on connection: PostgresConnection
    ) throws {
        let catalog = try ServerCatalog(connection, schema: schema)
        // The store does not use its own connections.
        let store = try opening.preliminaryStore(record, names: names, in: catalog)
        let clock = TransactionClock()
        for root in model.entities where root.root == root.number {
            let table = store.schema.columns[root.number - 1].table
            var last: Int64 = 0
            while true {
                let parameters = Parameters()
                parameters.append(last)
                let key = SystemColumns.postgres.key
                let keys = try connection.run(
                    .command(
                        "SELECT \(key) FROM \(table) WHERE \(key) > $1 ORDER BY \(key) LIMIT \(ServerFill.portion)",
                        with: parameters)
                ).keys()
                guard let highest = keys.last else { break }
                let write = ServerWrite(store, connection: connection, changes: nil, mode: .exclusive, clock: clock)
                write.derivation?.noteInserted(keys, root: root.number, ownValuesAreWritten: false)
                _ = try write.settleDerivedValues()
                last = highest
            }
        }
    }
}

extension ServerError {
    /// Whether a lock was not available, so that the same transaction may succeed later.
    var isLockFailure: Bool { state == .lockNotAvailable || state == .deadlockDetected }
}

// MARK: Metadata

extension StoreMetadata {
    /// Returns the framework's part of the metadata of a store on a server.
    static func frameworkPart(ofServerStoreOf model: CompiledModel) throws -> Data {
        StoreMetadata(newStoreOf: postgresType, model: model).propertyList
    }

    /// Returns the metadata with the framework's part replaced. The identifier, the type and the application's part stay.
    func replacingFrameworkPart(with propertyList: Data) throws -> StoreMetadata {
        let part = try StoreMetadata(identifier: identifier, propertyList: propertyList)
        var values = dictionary
        for (key, value) in part.dictionary where key != Key.identifier && key != Key.type { values[key] = value }
        values[Key.identifier] = nil
        let bytes = try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
        return try StoreMetadata(identifier: identifier, propertyList: bytes)
    }
}
#endif
