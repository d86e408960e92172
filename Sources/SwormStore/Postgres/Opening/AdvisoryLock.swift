#if PostgreSQL
import SwormPostgres

/// An advisory lock by which programs take turns. A transaction holds it until its end.
struct AdvisoryLock: Sendable {
    /// The number of the lock, which is the same in all programs.
    let number: Int64

    /// - Parameter subject: The subject of the lock.
    init(_ subject: String) {
        number = SHA2.sha256(Array("sworm \(subject)".utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The lock of programs that change the tables of a schema.
    static func tables(ofSchema schema: String) -> AdvisoryLock { AdvisoryLock(schema) }
    /// The lock of programs that work on the tables of a schema while it is used.
    static func work(onSchema schema: String) -> AdvisoryLock { AdvisoryLock("work on " + schema) }

    /// Begins a transaction that has the lock, or returns false if another transaction has it.
    ///
    /// A statement that waited would have its snapshot from before the wait, until its end. An index that a program creates
    /// without locking its table waits for the end of the transactions that it has once seen with such a snapshot, and the
    /// program with the lock can wait for that index, which the server does not see. Hence each attempt has its own transaction.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - options: The options of the transaction.
    ///   - timeout: The timeout of the transaction's other locks; nil for none.
    func begin(
        on connection: PostgresConnection, _ options: TransactionOptions, thenLockingWithin timeout: Duration?
    ) throws -> Bool {
        let parameters = Parameters()
        parameters.append(number)
        try connection.begin(options)
        do {
            let results = try connection.run([
                .command("SELECT pg_catalog.pg_try_advisory_xact_lock($1)", with: parameters),
                // A SELECT keeps its snapshot until the next statement, and this one has none.
                .command("SET LOCAL lock_timeout = \(TransactionOptions.milliseconds(timeout))"),
            ])
            if try results[0].bool(0, column: 0) ?? false { return true }
        } catch {
            connection.rollback()
            throw error
        }
        connection.rollback()
        return false
    }

    /// Waits for the lock, and runs a closure in a transaction that has it.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - options: The options of the transaction.
    ///   - limit: The longest time to wait.
    ///   - timeout: The timeout of the transaction's other locks; nil for none.
    ///   - clock: The clock of the pauses.
    ///   - body: The closure.
    /// - Throws: ``ServerError`` with the state `lockNotAvailable` if the lock was not free in time; and the errors of the
    ///   closure, after which the transaction is rolled back.
    func transaction<Result>(
        on connection: PostgresConnection, _ options: TransactionOptions, within limit: Duration,
        thenLockingWithin timeout: Duration?, clock: any MigrationClock = SystemMigrationClock(),
        _ body: () throws -> Result
    ) throws -> Result {
        let end = clock.now.advanced(by: limit)
        var pauses = MigrationPauses(from: .milliseconds(5), to: .milliseconds(200))
        while try !begin(on: connection, options, thenLockingWithin: timeout) {
            guard clock.now < end else {
                throw ServerError(
                    .timeout,
                    "another program has been changing the tables of the store for too long; try again later, or with a longer timeout",
                    state: .lockNotAvailable)
            }
            clock.pause(for: pauses.take())
        }
        do {
            let result = try body()
            try connection.commit()
            return result
        } catch {
            connection.rollback()
            throw error
        }
    }
}
#endif
