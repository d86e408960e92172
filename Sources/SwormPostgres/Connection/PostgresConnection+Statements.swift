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
        return try withCommands(for: statements) { try perform($0) }
    }

    /// Calls a closure with the commands that run statements, which it must send. It is called once more if the plan of a
    /// prepared statement was stale and nothing of the transaction had happened yet.
    ///
    /// - Parameter canRepeat: Whether nothing has been delivered.
    func withCommands<R>(
        for statements: [SQLStatement], canRepeat: () -> Bool = { true }, _ body: ([Command]) throws -> R
    ) throws -> R {
        try prepareToSend(statements)
        // From here on everything that waits to be sent is sent, or the connection is lost.
        let wasInTransaction = hasTransaction
        let beginning = takePending()
        do {
            return try body(commands(for: statements, after: beginning))
        } catch let error as ServerError where error.isStalePlan && !isLost {
            // A change of the schema concerns several statements, as a rule.
            cache.forgetAll(areKnown: error.state == .featureNotSupported)
            guard !wasInTransaction, canRepeat() else {
                var conflict = error
                conflict.kind = .conflict
                conflict.message = "the schema was changed while the transaction was running; run the transaction again"
                if error.state == .invalidStatementName {
                    conflict.message = "\(error.message). Run the transaction again"
                }
                throw conflict
            }
            // Nothing of the transaction has happened yet, so it begins once more.
            if hasTransaction { _ = try exchange([Command(.command("ROLLBACK"))]) }
            for part in beginning { part.savepoint?.isOnServer = false }
            return try body(commands(for: statements, after: beginning))
        }
    }

    /// Returns and removes what waits for the next statement. The caller must send it.
    func takePending() -> [PendingStatement] {
        defer { pending = [] }
        return pending
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
            do { _ = try perform(commands) } catch { guard !isLost else { throw error } }
        }
    }

    /// The number of prepared statements to remove in one trip.
    private static var removedLimit: Int { 16 }

    /// Throws if a statement cannot be written as a message.
    func check(_ statement: SQLStatement) throws {
        let sql = statement.sql
        guard !sql.utf8.contains(0) else {
            throw ServerError(.misuse, "an SQL string must not contain a NUL character", sql: sql)
        }
        guard let parameters = statement.parameters else { return }
        guard parameters.count <= Int(UInt16.max), parameters.buffer.count <= WireBuffer.longestValue else {
            throw ServerError(
                .limit, "a statement takes at most 65535 parameters and a gibibyte of values; send them in parts",
                sql: sql)
        }
    }

    /// Runs a statement behind a savepoint, in one trip to the server. If the statement fails, the transaction is as it was
    /// before.
    package func runBehindSavepoint(_ statement: SQLStatement) throws -> PostgresResult {
        guard let result = try runBehindSavepoint([statement]).first else {
            throw ServerError(.server, "the server sent no result", sql: statement.sql)
        }
        return result
    }

    /// Runs statements behind a savepoint, in one trip to the server, and returns their results. If one of them fails, the
    /// transaction is as it was before.
    package func runBehindSavepoint(_ statements: [SQLStatement]) throws -> [PostgresResult] {
        let scope = try beginSavepoint()
        defer { leave(scope) }
        do {
            return try run(statements + [.command("RELEASE SAVEPOINT \(scope.name)")]).dropLast()
        } catch {
            rollBack(to: scope)
            throw error
        }
    }

    /// The commands for statements: those that begin the transaction and its savepoints, those that close cursors, and those
    /// that prepare and run the statements.
    ///
    /// Savepoints come first: a failure behind one is undone by it.
    private func commands(for statements: [SQLStatement], after beginning: [PendingStatement]) -> [Command] {
        var commands = beginning.map { Command($0) }
        if hasTransaction, !hasFailedTransaction {
            unusedCursors.removeAll { !$0.scope.exists }
            commands += unusedCursors.map { cursor in
                var command = Command(.command("CLOSE \(cursor.name)"))
                command.closedCursor = cursor.name
                return command
            }
        }
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
            case .prepared(let name):
                var command = Command(statement, action: .runPrepared(name), index: index)
                command.usesOldPlan = true
                commands.append(command)
            case .prepare(let name):
                prepared[statement.shape] = name
                commands.append(Command(statement, action: .prepare(name), index: index))
                commands.append(Command(statement, action: .runPrepared(name), index: index))
            }
        }
        return commands
    }
}
#endif
