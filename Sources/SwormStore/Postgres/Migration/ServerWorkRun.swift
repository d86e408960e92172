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
        let holder = try connect()
        defer { holder.rollback() }
        var pauses = MigrationPauses(from: .milliseconds(10), to: .milliseconds(500))
        while try !lock(holder) {
            guard isAsked else { return [] }
            options.clock.pause(for: pauses.take())
        }
        let connection = try connect()
        var tried: Set<ServerWork.Task> = []
        var failures: [Failure] = []
        while let work = try next(after: tried, isAsked: isAsked, on: connection) {
            tried.insert(work.task)
            do {
                try perform(work.task, on: connection)
                try change(connection) { state, _ in state.work.removeAll { $0.task == work.task } }
            } catch let error as ServerError where !token.stopsWork && error.kind != .unavailable {
                connection.rollback()
                failures.append(Failure(work: work, error: error))
                try change(connection) { state, now in
                    guard let place = state.work.firstIndex(where: { $0.task == work.task }) else { return }
                    state.work[place].failure = error.message
                    state.work[place].failureTime = now
                }
            }
        }
        return failures
    }

    /// Begins a transaction that has the lock of the work, or returns false if another program has the lock.
    ///
    /// A statement that waited for it would have a snapshot, for whose end the index of the program with the lock waits. The
    /// server does not see that the two wait for each other. A transaction that has once been seen with a snapshot is waited
    /// for until it ends, so that each attempt has its own.
    private func lock(_ holder: PostgresConnection) throws -> Bool {
        try holder.begin(TransactionOptions(.readCommitted))
        let parameters = Parameters()
        parameters.append(ServerOpening.lockNumber(ofSchema: "work on " + options.schema))
        let results = try holder.run([
            .command("SELECT pg_catalog.pg_try_advisory_xact_lock($1)", with: parameters),
            // A SELECT keeps its snapshot until the next statement, and this one has none.
            .command("SET LOCAL lock_timeout = 0"),
        ])
        let hasLock = try results[0].bool(0, column: 0) ?? false
        if !hasLock { holder.rollback() }
        return hasLock
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

    private func perform(_ task: ServerWork.Task, on connection: PostgresConnection) throws {
        switch task {
        case .index(let name, _, _): try repeating { try createIndex(name, of: task, on: connection) }
        case .reference(let table, _, let column, let target):
            do {
                try repeating { try run(task, on: connection) }
            } catch let error as ServerError where error.kind == .foreignKeyViolation {
                // Links whose ends were deleted while there was no foreign key.
                let (own, name) = (prefix + SQLName.alwaysQuoted(table), SQLName.alwaysQuoted(column))
                let key = SystemColumns.postgres.key
                try connection.run(
                    .command(
                        "UPDATE \(own) AS t SET \(name) = NULL WHERE \(name) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(prefix)\(SQLName.alwaysQuoted(target)) AS r WHERE r.\(key) = t.\(name))"
                    ))
                try repeating { try run(task, on: connection) }
            }
        case .required(let table, let column): try require(column, of: table, task: task, on: connection)
        }
    }

    private func run(_ task: ServerWork.Task, on connection: PostgresConnection) throws {
        for sql in ServerWork(task).sql(in: prefix) { try connection.run(.command(sql)) }
    }

    /// Creates an index. One that an interruption has left unfinished is removed before.
    private func createIndex(_ name: String, of task: ServerWork.Task, on connection: PostgresConnection) throws {
        let removal = "DROP INDEX CONCURRENTLY IF EXISTS \(prefix)\(SQLName.alwaysQuoted(name))"
        switch try isValid(index: name, on: connection) {
        case true?: return
        case false?: try connection.run(.command(removal))
        case nil: break
        }
        do {
            try run(task, on: connection)
        } catch let error as ServerError where error.kind == .uniqueViolation {
            // The unfinished index would reject further rows.
            try connection.run(.command(removal))
            throw error
        }
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
    private func repeating(_ body: () throws -> Void) throws {
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
