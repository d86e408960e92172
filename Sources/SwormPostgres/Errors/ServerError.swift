#if PostgreSQL
/// An error that the server reports, or that the driver reports in the same form.
///
/// It never contains a value: neither a bound one nor one of a row. The server's own message is used only in the classes
/// whose messages consist of names. It never contains a password or an address as it was written.
package struct ServerError: Error, Sendable, Hashable {
    /// The reaction that an error calls for.
    package enum Kind: String, Sendable, Hashable {
        /// An address or a setting that cannot be read.
        case address
        /// The server rejected the user or the password, or the user lacks a permission.
        case permission
        /// The server or a connection is not there. Nothing of an open transaction was committed.
        case unavailable
        /// The connection was lost after COMMIT was sent, and before its answer.
        case outcomeUnknown
        /// Another transaction was faster. The transaction can be run again.
        case conflict
        /// The statement was stopped by a token.
        case cancelled
        /// A timeout of a statement, of a lock or of an idle transaction, or a deadline.
        case timeout
        /// A unique index rejected a row.
        case uniqueViolation
        /// A foreign key rejected a row.
        case foreignKeyViolation
        /// Another constraint rejected a row.
        case constraintViolation
        /// A number is out of the range of its type.
        case overflow
        case divisionByZero
        /// A value that its column or its expression cannot take.
        case invalidValue
        /// A limit of the server or of the protocol.
        case limit
        /// A wrong statement: unknown names, wrong types or wrong syntax.
        case statement
        /// A transaction that failed before, or is read-only.
        case transaction
        /// A server or a database that the driver cannot use, or a feature that the server lacks.
        case notSupported
        /// Wrong use of the driver, such as a wait that could never end.
        case misuse
        /// The server is out of resources, or has an internal error.
        case server
    }

    package var kind: Kind
    /// The reason and the way out, without any value.
    package var message: String
    /// The server's code; nil for an error of the driver.
    package var state: SQLState?
    package var constraint: String?
    package var schema: String?
    package var table: String?
    package var column: String?
    /// The text of the statement that failed, with parameters instead of values.
    package var sql: String?
    /// The index of the statement that failed, if several were sent together.
    package var index: Int?
    /// Whether the calling thread would have waited for itself.
    package var waitsForItself = false
    /// Whether no connection of a pool became free in time, so that another attempt would only make the queue longer.
    package var isOfFullPool = false
    /// Whether the server no longer knows a statement that was prepared before, or can no longer use its plan.
    var isStalePlan = false

    package init(_ kind: Kind, _ message: String, state: SQLState? = nil, sql: String? = nil) {
        self.kind = kind
        self.message = message
        self.state = state
        self.sql = sql
    }

    /// Whether the same transaction may succeed if it is run again: after a conflict, a deadlock, a lock that was not
    /// available, or the loss of a connection before COMMIT was sent.
    package var isRetryable: Bool {
        kind == .conflict || kind == .unavailable || state == .lockNotAvailable
    }

    /// Whether other transactions or a limit of time have ended the statement, and not its content.
    package var isInterruption: Bool { isRetryable || kind == .timeout || kind == .cancelled }
}

extension ServerError: CustomStringConvertible {
    package var description: String {
        var text = message
        var details: [String] = []
        if let state { details.append("SQLSTATE \(state.rawValue)") }
        if let constraint { details.append("constraint \"\(constraint)\"") }
        if let table { details.append("table \"\(schema.map { $0 + "." } ?? "")\(table)\"") }
        if let column { details.append("column \"\(column)\"") }
        if let sql { details.append("in: \(sql)") }
        if !details.isEmpty { text += " (\(details.joined(separator: ", ")))" }
        return text
    }
}
#endif
