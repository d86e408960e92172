#if PostgreSQL
extension PostgresConnection {
    /// A message to the server.
    struct Command {
        enum Action {
            case run
            case prepare(String)
            case runPrepared(String)
        }

        let statement: SQLStatement
        let action: Action
        /// The index of the caller's statement; nil for a statement of the driver.
        let index: Int?
        /// Whether the statement was prepared by an earlier trip, so that its plan may be stale.
        var usesOldPlan = false
        /// The savepoint that the command begins.
        var savepoint: TransactionScope?
        /// The time that earlier commands of the trip may wait for a lock, in addition to the timeout of statements.
        var lockWait = Duration.zero
        /// The name of the cursor that the command closes.
        var closedCursor: String?

        init(_ statement: SQLStatement, action: Action = .run, index: Int? = nil) {
            self.statement = statement
            self.action = action
            self.index = index
        }

        init(_ pending: PendingStatement) {
            self.init(pending.statement)
            savepoint = pending.savepoint
            lockWait = pending.lockWait
        }

        var isPreparation: Bool { if case .prepare = action { true } else { false } }

        /// Whether the command is the one that commits a transaction of ``commit(after:)``.
        var isCommit: Bool { !statement.isPreparable && statement.sql == "COMMIT" }
    }

    /// A statement of the driver that goes to the server with the next one.
    struct PendingStatement {
        let statement: SQLStatement
        /// The savepoint that the statement begins.
        var savepoint: TransactionScope?
        /// The time that the statements before may wait for a lock, in addition to the timeout of statements.
        var lockWait = Duration.zero

        init(_ statement: SQLStatement, savepoint: TransactionScope? = nil) {
            self.statement = statement
            self.savepoint = savepoint
        }
    }
}

/// The answer to a statement that was sent before its rows are needed.
final class PendingAnswer {
    let command: PostgresConnection.Command
    /// The transaction or the savepoint whose end makes the answer useless.
    let scope: TransactionScope?
    /// The time at which the statement was sent, if an observer wants to know the duration.
    let start: ContinuousClock.Instant?
    /// The outcome, once it was received.
    var outcome: Result<PostgresResult, any Error>?

    init(_ command: PostgresConnection.Command, in scope: TransactionScope?, start: ContinuousClock.Instant?) {
        self.command = command
        self.scope = scope
        self.start = start
    }
}
#endif
