import CSwormSQLite

/// An error that SQLite reports, or that the driver reports in the same form.
///
/// It never contains a bound value: `message` and `sql` are SQLite's text and the text of the statement.
package struct SQLiteError: Error, Sendable, Equatable {
    /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`.
    package let extendedCode: Int32
    package let message: String
    /// The statement that failed, if it is known.
    package let sql: String?

    /// The primary result code, such as `SQLITE_CONSTRAINT`.
    package var code: Int32 { extendedCode & 0xFF }

    package init(code: Int32, message: String, sql: String? = nil) {
        self.extendedCode = code
        self.message = message
        self.sql = sql
    }

    /// Creates the error for the last failure of a connection, with the code that a call returned.
    init(_ code: Int32, on connection: OpaquePointer?, sql: String? = nil) {
        // A call that is rejected as misuse leaves no message on the connection.
        if let connection, sqlite3_errcode(connection) & 0xFF == code & 0xFF, let text = sqlite3_errmsg(connection) {
            self.init(code: code, message: String(cString: text), sql: sql)
        } else {
            self.init(code: code, message: String(cString: sqlite3_errstr(code)), sql: sql)
        }
    }

    package var isBusy: Bool { code == Self.busy || code == Self.locked }
    /// Whether a statement was interrupted. One that is interrupted while it is compiled fails with the general code.
    package var isInterrupt: Bool { code == Self.interrupt || code == Self.error && message == "interrupted" }
    package var isConstraint: Bool { code == Self.constraint }
    /// Whether a unique index or a primary key rejected the row.
    package var isUniqueViolation: Bool {
        extendedCode == Self.constraintUnique || extendedCode == Self.constraintPrimaryKey
            || extendedCode == Self.constraintRowID
    }
    /// Whether the columns of an ON CONFLICT clause have no unique index.
    package var isMissingConflictTarget: Bool {
        code == Self.error && message.hasPrefix("ON CONFLICT clause does not match")
    }
    /// Whether the file is not a database, or is damaged.
    package var isDamage: Bool { code == Self.corrupt || code == Self.notADatabase }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String {
        var text = "\(Self.name(of: extendedCode)): \(message)"
        if let sql { text += " (in: \(sql))" }
        return text
    }
}
