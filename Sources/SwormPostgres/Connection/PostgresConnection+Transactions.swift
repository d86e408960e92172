#if PostgreSQL
import CSwormPQ

extension PostgresConnection {
    /// Begins a transaction. It is sent with the first statement, so that a transaction without statements costs nothing.
    package func begin(_ options: TransactionOptions) throws {
        guard !isInTransaction, !hasTransaction else {
            throw ServerError(.misuse, "the connection has a transaction already; use a savepoint inside of it")
        }
        pending = try options.statements(on: address).map { PendingStatement($0) }
        if let last = pending.lastIndex(where: { $0.statement.sql == options.locks.last }) {
            pending[last].lockWait = options.lockWait
        }
        isInTransaction = true
        lastFailure = nil
        scope = TransactionScope()
        statementTimeout = (options.timeouts ?? address.timeouts).statement
    }

    /// Runs the last statements of the transaction and commits it, in one trip to the server.
    ///
    /// - Returns: The results of the statements.
    /// - Throws: ``ServerError``. The transaction is then still open, and must be rolled back. The kind `outcomeUnknown`
    ///   means that the connection was lost before the answer to COMMIT.
    @discardableResult
    package func commit(after statements: [SQLStatement] = []) throws -> [PostgresResult] {
        guard isInTransaction else { throw ServerError(.misuse, "there is no transaction to commit") }
        // A failure of a cursor that reads ahead comes before COMMIT is sent.
        try receiveAnswer()
        try requireUsable()
        guard hasTransaction || !statements.isEmpty else {
            let wasSent = pending.isEmpty
            endTransaction()
            guard !wasSent else {
                throw ServerError(
                    .transaction, "the transaction ended before its end: a statement ended it, or the server did")
            }
            return []
        }
        // Savepoints that nothing followed end with the transaction, and cursors do.
        if hasTransaction, statements.isEmpty { pending = [] }
        unusedCursors = []
        mayHaveCommitted = false
        do {
            // A commit that has started might take effect although it is stopped.
            var results = try uninterrupted { try run(statements + [.command("COMMIT")]) }
            let last = results.popLast()
            endTransaction()
            guard last?.tag == "COMMIT" else {
                throw ServerError(
                    .transaction, "an earlier statement failed, so that the server rolled the transaction back")
            }
            return results
        } catch var error as ServerError {
            guard isLost, mayHaveCommitted else { throw error }
            error.message =
                "the connection to the server at \(host) was lost before its answer to COMMIT: \(error.message)"
            error.kind = .outcomeUnknown
            throw error
        }
    }

    /// Rolls the transaction back, if there is one. Neither a token nor an earlier failure stops it: if the server does not
    /// answer, the connection is lost, and the server rolls back on its own.
    package func rollback() {
        defer { endTransaction() }
        guard !isLost, hasTransaction || answer != nil else { return }
        uninterrupted {
            do {
                dropAnswer()
                pending = []
                if hasTransaction { _ = try exchange([Command(.command("ROLLBACK"))]) }
            } catch {
                isLost = true
            }
        }
    }

    private func endTransaction() {
        isInTransaction = false
        pending = []
        unusedCursors = []
        while let scope {
            scope.end()
            self.scope = scope.parent
        }
        statementTimeout = address.timeouts.statement
    }

    /// Runs the body in a transaction, and rolls it back if the body throws or the commit fails.
    package func transaction<R>(_ options: TransactionOptions, body: () throws -> R) throws -> R {
        try begin(options)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    // MARK: Reuse

    /// Makes the connection ready for another user: without a transaction, and without a request to stop that may still
    /// arrive.
    package func reset() {
        interruption = nil
        watch = nil
        // From here on, the requests of the user who returns the connection have no effect.
        statement.changeUser()
        rollback()
        guard mayBeStopped, !isLost else { return }
        mayBeStopped = false
        // A late request stops this statement, and nobody else's.
        do { try run(.command("SELECT 1")) } catch let error as ServerError {
            if error.kind != .cancelled, error.kind != .timeout { isLost = true }
        } catch {
            isLost = true
        }
    }
}
#endif
