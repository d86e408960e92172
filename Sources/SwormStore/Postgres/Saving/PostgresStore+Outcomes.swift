#if PostgreSQL
import Foundation
import SwormPostgres

// A transaction that writes inserts the row of a marker, by which its outcome can be found out if the answer to COMMIT is
// lost. Whoever asks inserts the same row: the server lets only one of the two commit.
extension PostgresStore {
    private var outcomes: String { schema.prefix + "\"_sworm_outcome\"" }

    /// Returns the statements that precede COMMIT: they check deferred constraints, such as those of links, and insert the
    /// marker.
    ///
    /// - Parameters:
    ///   - level: The history that the transaction has written.
    ///   - checksConstraints: Whether the constraints that are deferred are checked first.
    func lastStatements(
        _ marker: UUID, keeping level: ServerHistory.Level, checkingConstraints checksConstraints: Bool
    ) -> [SQLStatement] {
        let parameters = Parameters()
        parameters.append(marker)
        parameters.append(history.instance)
        parameters.append(level.rawValue)
        // The server rejects the row if another program has started a history that this transaction does not write.
        let insertion = SQLStatement(
            "INSERT INTO \(outcomes) (\"id\", \"instance\", \"history\", \"time\") VALUES ($1, $2, $3, pg_catalog.clock_timestamp())",
            with: parameters)
        return checksConstraints ? [.command("SET CONSTRAINTS ALL IMMEDIATE"), insertion] : [insertion]
    }

    /// Returns whether the transaction with a marker was committed, after the connection to it was lost. If it was not, it
    /// never will be.
    ///
    /// - Throws: ``ServerError`` of the kind `outcomeUnknown` if the server cannot be asked within the store's timeout.
    func isCommitted(_ marker: UUID) throws -> Bool {
        let end = ContinuousClock.now.advanced(by: .seconds(min(options.busyTimeout, StoreOptions.longestTimeout)))
        var failure: (any Error)?
        repeat {
            do {
                return try pool.withConnection(for: "ask for the outcome of a transaction", until: end) { connection in
                    try isCommitted(marker, on: connection)
                }
            } catch {
                failure = error
                // The source of the password, too, may be away for a moment.
                if let error = error as? ServerError {
                    guard error.isRetryable || error.kind == .outcomeUnknown || error.kind == .timeout else { break }
                }
                Thread.sleep(forTimeInterval: Self.pause)
            }
        } while ContinuousClock.now < end
        throw ServerError.unknown(marker, in: outcomes, failure)
    }

    /// The time in seconds between two attempts to reach a server that may be starting again.
    private static var pause: TimeInterval { 0.05 }

    private func isCommitted(_ marker: UUID, on connection: PostgresConnection) throws -> Bool {
        let parameters = Parameters()
        parameters.append(marker)
        return try connection.transaction(TransactionOptions(.readCommitted)) {
            // Waits for a transaction that is just being committed.
            let results = try connection.run([
                SQLStatement(
                    "INSERT INTO \(outcomes) (\"id\", \"history\") VALUES ($1, \(ServerError.question)) ON CONFLICT DO NOTHING",
                    with: parameters),
                // The row may be that of an earlier question, whose answer was lost too.
                SQLStatement("SELECT \"history\" FROM \(outcomes) WHERE \"id\" = $1", with: parameters),
            ])
            return try results[1].int(0, column: 0) != Int(ServerError.question)
        }
    }

    /// Removes old markers, seldom: after about one of a few hundred commits. A failure has no effect.
    func purgeOutcomes(on connection: PostgresConnection) {
        if Int.random(in: 0..<Self.commitsPerPurge) == 0 { removeOldOutcomes(on: connection) }
    }

    private static var commitsPerPurge: Int { 512 }

    /// Removes the markers of transactions that were committed more than a day ago.
    func removeOldOutcomes(on connection: PostgresConnection) {
        connection.uninterrupted {
            _ = try? connection.run(Self.removalOfOutcomes(in: outcomes))
        }
    }

    static func removalOfOutcomes(in table: String) -> String {
        "DELETE FROM \(table) WHERE \"id\" IN (SELECT \"id\" FROM \(table) WHERE \"time\" < pg_catalog.now() - INTERVAL '1 day' LIMIT 10000 FOR UPDATE SKIP LOCKED)"
    }
}

extension ServerError {
    /// The history of a marker's row that was inserted by a question. No transaction has it, and no constraint rejects it.
    fileprivate static let question = Int16.max

    /// The error of a transaction whose connection was lost at its end, and that was not committed.
    static func undone(_ loss: ServerError) -> ServerError {
        var error = loss
        error.kind = .unavailable
        error.message =
            "the connection was lost while the transaction was being committed. It was not committed; run it again"
        return error
    }

    /// Returns the error of a transaction that was lost after the changes to other stores were committed: it must not be run again as
    /// if nothing had been saved.
    static func partlySaved(_ failure: any Error) -> any Error {
        guard var error = failure as? ServerError, error.kind == .unavailable else { return failure }
        error.kind = .outcomeUnknown
        error.message = "the changes to other stores were saved, and those to this one were not: \(error.message)"
        return error
    }

    /// The error of a transaction of which nobody could say whether it was committed.
    static func unknown(_ marker: UUID, in table: String, _ failure: (any Error)?) -> ServerError {
        var text =
            "the connection was lost while the transaction was being committed, and it is unknown whether it was: the server cannot be asked"
        // The text of an error that is not the driver's may contain a password.
        if let failure { text += " (\((failure as? ServerError)?.message ?? String(reflecting: type(of: failure))))" }
        text +=
            ". It was committed if the table \(table) has a row with the id \(marker.uuidString.lowercased()) whose \"history\" is not \(question)"
        return ServerError(.outcomeUnknown, text)
    }
}
#endif
