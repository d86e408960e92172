#if PostgreSQL
import CSwormPQ

extension PostgresConnection {
    /// Begins a transaction. It is sent with the first statement, so that a transaction without statements costs nothing.
    package func begin(_ options: TransactionOptions) throws {
        guard !isInTransaction, !hasTransaction else {
            throw ServerError(.misuse, "the connection has a transaction already; use a savepoint inside of it")
        }
        pending = try options.statements(on: address)
        isInTransaction = true
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
        // Savepoints that nothing followed end with the transaction.
        if hasTransaction, statements.isEmpty { pending = [] }
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
            // If the connection was lost in one of the statements, the server has skipped COMMIT.
            guard isLost, error.index.map({ $0 == statements.count }) ?? true else { throw error }
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
                try? receiveAnswer()
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

    // MARK: Savepoints

    /// Runs the body in a savepoint inside of the transaction, and rolls back only the body's changes if it throws.
    package func savepoint<R>(_ body: () throws -> R) throws -> R {
        let scope = try beginSavepoint()
        defer { if self.scope === scope { self.scope = scope.parent } }
        do {
            let result = try body()
            if !withdraw(scope) { pending.append(.command("RELEASE SAVEPOINT \(scope.name)")) }
            return result
        } catch {
            rollBack(to: scope)
            throw error
        }
    }

    /// Begins a savepoint, which is sent with the next statement.
    func beginSavepoint() throws -> TransactionScope {
        guard let parent = scope else { throw ServerError(.misuse, "a savepoint needs a transaction") }
        let scope = TransactionScope(in: parent)
        pending.append(.command("SAVEPOINT \(scope.name)"))
        self.scope = scope
        return scope
    }

    /// Removes a savepoint that was not sent, with all that follows it.
    ///
    /// - Returns: False if it was sent.
    private func withdraw(_ scope: TransactionScope) -> Bool {
        guard let index = pending.lastIndex(where: { $0.sql == "SAVEPOINT \(scope.name)" }) else { return false }
        pending.removeSubrange(index...)
        return true
    }

    /// Goes back to a savepoint and removes it. If the server does not answer, the connection is lost.
    func rollBack(to scope: TransactionScope) {
        scope.end()
        guard !withdraw(scope), !isLost, hasTransaction else { return }
        uninterrupted {
            do {
                try? receiveAnswer()
                pending = []
                let commands = ["ROLLBACK TO SAVEPOINT", "RELEASE SAVEPOINT"].map {
                    Command(.command("\($0) \(scope.name)"))
                }
                _ = try exchange(commands)
            } catch {
                isLost = true
            }
        }
    }

    // MARK: Reuse

    /// Makes the connection ready for another user: without a transaction, and without a request to stop that may still
    /// arrive.
    package func reset() {
        interruption = nil
        watch = nil
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
