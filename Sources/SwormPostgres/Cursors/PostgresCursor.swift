#if PostgreSQL
/// The rows of a statement in portions, each of which is asked for while the one before it is being read.
///
/// A cursor belongs to the transaction in which it was opened, and ends with it. Between two portions the connection may run
/// other statements.
package final class PostgresCursor {
    private let connection: PostgresConnection
    private let name: String
    private let portion: Int
    private let scope: TransactionScope
    /// The first portion, until it is read.
    private var first: PostgresResult?
    /// The portion that the server is sending.
    private var answer: PendingAnswer?
    /// Whether the server has the cursor.
    private var isOpen = false
    /// Whether each portion is read behind a savepoint, and when it is needed.
    private let isGuarded: Bool

    /// Opens a cursor and receives its first portion, in one trip to the server.
    ///
    /// - Parameters:
    ///   - statement: A query.
    ///   - portion: The number of rows of a portion.
    ///   - isGuarded: Whether the transaction continues if the query fails.
    init(
        _ statement: SQLStatement, portion: Int, isGuarded: Bool = false, on connection: PostgresConnection
    ) throws {
        guard let scope = connection.scope else { throw ServerError(.misuse, "a cursor needs a transaction") }
        self.connection = connection
        self.portion = max(1, portion)
        connection.lastCursor += 1
        name = "sworm_\(connection.lastCursor)"
        self.scope = scope
        self.isGuarded = isGuarded
        let statements: [SQLStatement] = [
            // The server plans for the first rows of a cursor otherwise.
            .command("SET LOCAL cursor_tuple_fraction = 1"), .cursor(name, of: statement),
            .command("FETCH FORWARD \(self.portion) FROM \(name)"),
        ]
        first = try (isGuarded ? connection.runBehindSavepoint(statements) : connection.run(statements)).last
        // After a failure, the cursor ends with what is rolled back.
        isOpen = true
        try askAhead(after: first)
    }

    deinit { close() }

    /// Returns the next portion; nil after the last row.
    ///
    /// - Throws: ``ServerError``. The cursor then has no more rows.
    package func next() throws -> PostgresResult? {
        if let first {
            self.first = nil
            return first.rowCount > 0 ? first : nil
        }
        if isGuarded, isOpen { return try readPortion() }
        guard let answer else { return nil }
        self.answer = nil
        guard scope.exists else {
            throw ServerError(.transaction, "the transaction or the savepoint of the cursor has ended")
        }
        // Another statement may have received the answer.
        if answer.outcome == nil { try connection.receiveAnswer() }
        guard let portion = try answer.outcome?.get() else { return nil }
        try askAhead(after: portion)
        return portion.rowCount > 0 ? portion : nil
    }

    private func askAhead(after portion: PostgresResult?) throws {
        guard portion?.rowCount == self.portion else { return closeOnServer() }
        // The answer to a statement that was sent ahead belongs to no savepoint.
        guard !isGuarded else { return }
        answer = try connection.ask(
            .init(.command("FETCH FORWARD \(self.portion) FROM \(name)"), index: 0), in: scope)
    }

    private func readPortion() throws -> PostgresResult? {
        guard scope.exists else {
            throw ServerError(.transaction, "the transaction or the savepoint of the cursor has ended")
        }
        do {
            let fetch = SQLStatement.command("FETCH FORWARD \(portion) FROM \(name)")
            guard let portion = try connection.runBehindSavepoint([fetch]).first else { return nil }
            if portion.rowCount < self.portion { closeOnServer() }
            return portion.rowCount > 0 ? portion : nil
        } catch {
            closeOnServer()
            throw error
        }
    }

    /// Ends the cursor, so that it has no more rows.
    package func close() {
        first = nil
        answer = nil
        closeOnServer()
    }

    /// Lets the next statement of the transaction close the cursor.
    private func closeOnServer() {
        guard isOpen else { return }
        isOpen = false
        if scope.exists { connection.unusedCursors.append(.init(name: name, scope: scope)) }
    }
}

extension PostgresConnection {
    /// Opens a cursor for the rows of a query.
    ///
    /// - Parameter isGuarded: Whether the transaction continues if the query fails. The next portion is then not asked for
    ///   ahead.
    package func cursor(
        _ statement: SQLStatement, portion: Int = 1000, isGuarded: Bool = false
    ) throws -> PostgresCursor {
        try PostgresCursor(statement, portion: portion, isGuarded: isGuarded, on: self)
    }
}

extension SQLStatement {
    /// The declaration of a cursor for a query.
    fileprivate static func cursor(_ name: String, of statement: SQLStatement) -> SQLStatement {
        .command("DECLARE \(name) NO SCROLL CURSOR FOR \(statement.sql)", with: statement.parameters)
    }
}
#endif
