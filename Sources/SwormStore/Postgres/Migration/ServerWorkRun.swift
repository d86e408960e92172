#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// A run through the work that is left to do on the tables of a store: indexes, foreign keys and required columns.
///
/// One program at a time does it. It holds an advisory lock in a transaction of its own, because an index that is created
/// without locking its table cannot be created in a transaction.
struct ServerWorkRun {
    let options: PostgresOptions
    let watch: StatementWatch?
    let token: InterruptToken

    private var prefix: String { SQLName.alwaysQuoted(options.schema) + "." }

    /// A step that failed.
    struct Failure {
        var work: ServerWork
        var error: ServerError
    }

    /// The time after which a failed step is tried again without being asked for, in seconds.
    private static let patience = 3600.0
    /// The longest time to try to lock a table.
    private static let longestAttempt = Duration.seconds(60)

    /// Does all steps.
    ///
    /// - Parameter isAsked: Whether somebody waits for the work: it then waits for other programs that do it, and repeats
    ///   steps that have just failed.
    /// - Returns: The steps that failed.
    /// - Throws: ``ServerError`` if the work was stopped, or the server cannot be reached.
    func callAsFunction(isAsked: Bool) throws -> [Failure] {
        let lock = AdvisoryLock.work(onSchema: options.schema)
        let holder = try connect()
        defer { holder.rollback() }
        var pauses = MigrationPauses(from: .milliseconds(10), to: .milliseconds(500))
        while try !lock.begin(on: holder, TransactionOptions(.readCommitted), thenLockingWithin: nil) {
            guard isAsked else { return [] }
            options.clock.pause(for: pauses.take())
        }
        let connection = try connect()
        var tried: Set<ServerWork.Task> = []
        var failures = try createOwnIndexes(on: connection)
        while let work = try next(after: tried, isAsked: isAsked, on: connection) {
            tried.insert(work.task)
            do {
                let isNew = try perform(work.task, on: connection)
                var isWanted = true
                try change(connection) { state, _ in
                    isWanted = state.work.contains { $0.task == work.task }
                    state.work.removeAll { $0.task == work.task }
                }
                // The store was migrated during the step to a version that does not have it.
                if isNew, !isWanted { revert(work.task, on: connection) }
            } catch let error as ServerError where !token.stopsWork && error.kind != .unavailable {
                connection.rollback()
                failures.append(Failure(work: work, error: error))
                // A program with the permission that this one lacks need not wait.
                guard error.kind != .permission else { continue }
                try change(connection) { state, now in
                    guard let place = state.work.firstIndex(where: { $0.task == work.task }) else { return }
                    state.work[place].failure = error.message
                    state.work[place].failureTime = now
                }
            }
        }
        return failures
    }

    /// Creates the indexes of the store's own tables that a store of an earlier version lacks.
    ///
    /// - Returns: Those that failed. One that the user must not create is left to the owner of the tables.
    private func createOwnIndexes(on connection: PostgresConnection) throws -> [Failure] {
        var failures: [Failure] = []
        for index in ServerSchemaWriter.ownIndexes(in: prefix) {
            let work = ServerWork(.index(name: index.name, definition: index.definition, isUnique: false))
            do { _ = try perform(work.task, on: connection) } catch let error as ServerError
                where !token.stopsWork && error.kind != .unavailable
            {
                connection.rollback()
                if error.kind != .permission { failures.append(Failure(work: work, error: error)) }
            }
        }
        return failures
    }

    /// Opens a connection whose statements and transactions have no limits.
    private func connect() throws -> PostgresConnection {
        var address = options.address
        address.timeouts.statement = nil
        address.timeouts.lock = nil
        address.timeouts.idle = nil
        let connection = try PostgresConnection.open(address)
        connection.interruption = token
        connection.watch = watch
        return connection
    }

    // MARK: The list

    private func next(
        after tried: Set<ServerWork.Task>, isAsked: Bool, on connection: PostgresConnection
    ) throws -> ServerWork? {
        let result = try connection.run(
            .command(
                "SELECT \"migration\", EXTRACT(epoch FROM pg_catalog.now())::float8 FROM \(prefix)\"_sworm\""))
        guard let text = try result.json(0, column: 0), let now = try result.double(0, column: 1) else { return nil }
        let state = try JSONDecoder().decode(ServerMigrationState.self, from: Data(text.utf8))
        return state.work.first { work in
            guard !tried.contains(work.task) else { return false }
            return isAsked || work.failureTime.map { $0 < now - Self.patience } ?? true
        }
    }

    /// Changes the list. The closure gets the time of the server in seconds.
    private func change(
        _ connection: PostgresConnection, _ body: (inout ServerMigrationState, Double) -> Void
    ) throws {
        try connection.transaction(TransactionOptions(.readCommitted)) {
            let result = try connection.run(
                .command(
                    "SELECT \"migration\", EXTRACT(epoch FROM pg_catalog.now())::float8 FROM \(prefix)\"_sworm\" FOR NO KEY UPDATE"
                ))
            guard let text = try result.json(0, column: 0), let now = try result.double(0, column: 1) else { return }
            var state = try JSONDecoder().decode(ServerMigrationState.self, from: Data(text.utf8))
            body(&state, now)
            let parameters = Parameters()
            guard parameters.append(json: try state.json) else { return }
            try connection.run(.command("UPDATE \(prefix)\"_sworm\" SET \"migration\" = $1", with: parameters))
        }
    }

    // MARK: Steps

    /// Does a step, and returns whether it has changed anything.
    private func perform(_ task: ServerWork.Task, on connection: PostgresConnection) throws -> Bool {
        switch task {
        case .index(let name, _, _): return try repeating { try createIndex(name, of: task, on: connection) }
        case .reference(let table, _, let column, let target):
            do {
                try repeating { try run(task, on: connection) }
            } catch let error as ServerError where error.kind == .foreignKeyViolation {
                // Links whose ends were deleted while there was no foreign key.
                let (own, name) = (prefix + SQLName.alwaysQuoted(table), SQLName.alwaysQuoted(column))
                let key = SystemColumns.postgres.key
                let removal =
                    "UPDATE \(own) AS t SET \(name) = NULL WHERE \(name) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(prefix)\(SQLName.alwaysQuoted(target)) AS r WHERE r.\(key) = t.\(name))"
                try shortly([ServerMigration.turn(in: prefix), removal], on: connection)
                try repeating { try run(task, on: connection) }
            }
        case .required(let table, let column): try require(column, of: table, task: task, on: connection)
        }
        return true
    }

    /// Removes what a step has created. Nothing is left to remove if the table or the column no longer exists.
    private func revert(_ task: ServerWork.Task, on connection: PostgresConnection) {
        switch task {
        case .index(let name, _, _): _ = try? connection.run(.command(removal(ofIndex: name)))
        case .required(let table, let column):
            let target = "ALTER TABLE IF EXISTS \(prefix)\(SQLName.alwaysQuoted(table))"
            try? shortly(["\(target) ALTER COLUMN \(SQLName.alwaysQuoted(column)) DROP NOT NULL"], on: connection)
        case .reference: break
        }
    }

    private func removal(ofIndex name: String) -> String {
        "DROP INDEX CONCURRENTLY IF EXISTS \(prefix)\(SQLName.alwaysQuoted(name))"
    }

    private func run(_ task: ServerWork.Task, on connection: PostgresConnection) throws {
        for sql in ServerWork(task).sql(in: prefix) { try connection.run(.command(sql)) }
    }

    /// Creates an index, and returns whether it was missing. One that an interruption has left unfinished is removed before.
    private func createIndex(
        _ name: String, of task: ServerWork.Task, on connection: PostgresConnection
    ) throws -> Bool {
        let removal = removal(ofIndex: name)
        switch try isValid(index: name, on: connection) {
        case true?: return false
        case false?: try connection.run(.command(removal))
        case nil: break
        }
        do {
            try run(task, on: connection)
        } catch let error as ServerError where error.kind != .permission && !token.stopsWork {
            // An unfinished unique index would reject further rows until the step is tried again.
            if (try? isValid(index: name, on: connection)) == false { _ = try? connection.run(.command(removal)) }
            throw error
        }
        return true
    }

    /// Returns whether an index is finished, or nil if no index has the name.
    private func isValid(index name: String, on connection: PostgresConnection) throws -> Bool? {
        let parameters = Parameters()
        guard parameters.append(options.schema), parameters.append(name) else { return nil }
        return try connection.run(
            .command(
                "SELECT x.indisvalid FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indexrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
                with: parameters)
        ).bool(0, column: 0)
    }

    /// Declares a column NOT NULL. A constraint that was validated before spares the server to read the table under its lock.
    private func require(
        _ column: String, of table: String, task: ServerWork.Task, on connection: PostgresConnection
    ) throws {
        let check = SQLName.alwaysQuoted(ServerWork.checkName(table, column: column))
        let statements = ServerWork(task).sql(in: prefix)
        let removal =
            "ALTER TABLE \(prefix)\(SQLName.alwaysQuoted(table)) DROP CONSTRAINT IF EXISTS \(check)"
        try shortly([removal, statements[0]], on: connection)
        do {
            try repeating { _ = try connection.run(.command(statements[1])) }
        } catch {
            try? shortly([removal], on: connection)
            throw error
        }
        try shortly(Array(statements[2...]), on: connection)
    }

    /// Runs statements in a transaction that waits only shortly for its locks, because other programs wait behind it, and is
    /// repeated.
    private func shortly(_ statements: [String], on connection: PostgresConnection) throws {
        var transaction = TransactionOptions(.readCommitted)
        var timeouts = connection.address.timeouts
        timeouts.lock = ServerMigration.lockTimeout
        transaction.timeouts = timeouts
        try repeating {
            try connection.transaction(transaction) {
                _ = try connection.run(statements.map { .command($0) })
            }
        }
    }

    /// Runs a closure again, after pauses, if it could not get its locks, or was stopped because it waited for a transaction
    /// that waited for it.
    private func repeating<Result>(_ body: () throws -> Result) throws -> Result {
        let end = options.clock.now.advanced(by: Self.longestAttempt)
        var pauses = MigrationPauses()
        while true {
            do {
                return try body()
            } catch let error as ServerError
                where error.isLockFailure && options.clock.now < end && !token.stopsWork
            {
                options.clock.pause(for: pauses.take())
            }
        }
    }
}
#endif
