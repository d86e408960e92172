#if PostgreSQL
import CSwormPQ

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
    private var isOpen = true

    /// Opens a cursor and receives its first portion, in one trip to the server.
    ///
    /// - Parameters:
    ///   - statement: A query.
    ///   - portion: The number of rows of a portion.
    init(_ statement: SQLStatement, portion: Int, on connection: PostgresConnection) throws {
        guard let scope = connection.scope else { throw ServerError(.misuse, "a cursor needs a transaction") }
        self.connection = connection
        self.portion = max(1, portion)
        connection.lastCursor += 1
        name = "sworm_\(connection.lastCursor)"
        self.scope = scope
        // The server plans for the first rows of a cursor otherwise.
        connection.pending.append(.command("SET LOCAL cursor_tuple_fraction = 1"))
        let declaration = SQLStatement.cursor(name, of: statement)
        let results = try connection.run([declaration, .command("FETCH FORWARD \(self.portion) FROM \(name)")])
        first = results.last
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
        answer = try connection.ask(.init(.command("FETCH FORWARD \(self.portion) FROM \(name)"), index: 0))
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
    package func cursor(_ statement: SQLStatement, portion: Int = 1000) throws -> PostgresCursor {
        try PostgresCursor(statement, portion: portion, on: self)
    }
}

extension SQLStatement {
    /// The declaration of a cursor for a query.
    fileprivate static func cursor(_ name: String, of statement: SQLStatement) -> SQLStatement {
        .command("DECLARE \(name) NO SCROLL CURSOR FOR \(statement.sql)", with: statement.parameters)
    }
}
#endif
