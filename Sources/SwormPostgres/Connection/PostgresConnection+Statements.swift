#if PostgreSQL
import CSwormPQ

extension PostgresConnection {
    /// Runs a statement and returns its result.
    @discardableResult
    package func run(_ sql: String, with parameters: Parameters? = nil) throws -> PostgresResult {
        try run(SQLStatement(sql, with: parameters))
    }

    /// Runs a statement and returns its result.
    @discardableResult
    package func run(_ statement: SQLStatement) throws -> PostgresResult {
        guard let result = try run([statement]).first else {
            throw ServerError(.server, "the server sent no result", sql: statement.sql)
        }
        return result
    }

    /// Runs statements that are sent together, and returns their results.
    ///
    /// If one fails, the server skips those that follow it, and the error names its index. Outside of a transaction, the
    /// statements are one transaction.
    package func run(_ statements: [SQLStatement]) throws -> [PostgresResult] {
        guard !statements.isEmpty else { return [] }
        // From here on everything that waits to be sent is sent, or the connection is lost.
        try prepareToSend(statements)
        let wasInTransaction = hasTransaction
        let beginning = pending
        pending = []
        do {
            return try exchange(commands(for: statements, after: beginning))
        } catch let error as ServerError {
            guard let index = error.index, error.isStalePlan, forgetPlan(of: statements[index], after: error) else {
                throw error
            }
            guard !wasInTransaction else {
                var conflict = error
                conflict.kind = .conflict
                conflict.message = "the schema was changed while the transaction was running; run the transaction again"
                throw conflict
            }
            // Nothing of the transaction has happened yet, so it begins once more.
            if hasTransaction { _ = try exchange([Command(.command("ROLLBACK"))]) }
            return try exchange(commands(for: statements, after: beginning))
        }
    }

    /// Throws, with nothing changed, if statements cannot be sent.
    func prepareToSend(_ statements: [SQLStatement]) throws {
        for statement in statements { try check(statement) }
        try receiveAnswer()
        try requireUsable()
        guard !isInTransaction || hasTransaction || !pending.isEmpty else {
            throw ServerError(.transaction, "the transaction ended before: a statement ended it, or the server did")
        }
        // Outside of a transaction, a failure harms nothing.
        if !hasTransaction, cache.removed.count >= Self.removedLimit {
            let commands = cache.takeRemoved().map { Command(.command("DEALLOCATE \($0)")) }
            do { _ = try exchange(commands) } catch { try requireUsable() }
        }
    }

    /// The number of prepared statements to remove in one trip.
    private static var removedLimit: Int { 16 }

    /// Runs a statement behind a savepoint, in one trip to the server. If the statement fails, the transaction is as it was
    /// before.
    package func runBehindSavepoint(_ statement: SQLStatement) throws -> PostgresResult {
        let scope = try beginSavepoint()
        defer { self.scope = scope.parent }
        do {
            let results = try run([statement, .command("RELEASE SAVEPOINT \(scope.name)")])
            guard let result = results.first else {
                throw ServerError(.server, "the server sent no result", sql: statement.sql)
            }
            return result
        } catch {
            rollBack(to: scope)
            throw error
        }
    }

    /// The commands for statements: those that close cursors, those that begin the transaction, and those that prepare and run
    /// the statements.
    func commands(for statements: [SQLStatement], after beginning: [SQLStatement]) -> [Command] {
        var commands: [Command] = []
        if hasTransaction, !hasFailedTransaction {
            let unused = unusedCursors.filter(\.scope.exists)
            commands = unused.map { Command(.command("CLOSE \($0.name)")) }
            unusedCursors = []
        }
        commands += beginning.map { Command($0) }
        var prepared: [StatementShape: String] = [:]
        for (index, statement) in statements.enumerated() {
            guard statement.isPreparable else {
                commands.append(Command(statement, index: index))
                continue
            }
            if let name = prepared[statement.shape] {
                commands.append(Command(statement, action: .runPrepared(name), index: index))
                continue
            }
            switch cache.way(of: statement.shape) {
            case .unnamed: commands.append(Command(statement, index: index))
            case .prepared(let name): commands.append(Command(statement, action: .runPrepared(name), index: index))
            case .prepare(let name):
                prepared[statement.shape] = name
                commands.append(Command(statement, action: .prepare(name), index: index))
                commands.append(Command(statement, action: .runPrepared(name), index: index))
            }
        }
        return commands
    }

    /// Forgets the prepared statement that failed.
    ///
    /// - Returns: False if the statement was not a prepared one.
    private func forgetPlan(of statement: SQLStatement, after error: ServerError) -> Bool {
        guard statement.isPreparable, !isLost else { return false }
        return cache.forget(statement.shape, isKnown: error.state == .featureNotSupported)
    }
}
#endif
