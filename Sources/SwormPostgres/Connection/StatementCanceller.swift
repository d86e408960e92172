#if PostgreSQL
/// A handle by which any thread stops the statements of one user of a connection. It has no effect on the statements of
/// later users.
package final class StatementCanceller: Sendable {
    private let statement: RunningStatement
    private let user: Int

    init(_ statement: RunningStatement) {
        self.statement = statement
        user = statement.user
    }

    /// Stops the running statement, which then fails. Does nothing if no statement is running; a statement that starts
    /// later is not affected.
    package func stop() { statement.stop(by: .user(user)) }

    /// Stops the running statement, and rejects all later ones of the user.
    package func stopAll() { statement.stopAll(by: .user(user)) }

    /// The text of the running statement, for messages; nil if no statement is running.
    package var sql: String? { statement.sql }
}
#endif
