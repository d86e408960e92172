import CSwormSQLite

/// A prepared statement with a single owner. When its lifetime ends, it is reset, its bindings are cleared, and it is
/// returned to the cache.
package struct Statement: ~Copyable {
    let prepared: PreparedStatement
    let connection: Connection
    let pointer: OpaquePointer
    /// Whether the last row was read. Until a reset, a further step returns false; SQLite itself would run the
    /// statement again.
    package internal(set) var isDone = false
    /// The arena that keeps bytes alive that are bound without a copy.
    var arena: BindingArena?

    init(_ prepared: PreparedStatement, of connection: Connection) {
        self.prepared = prepared
        self.connection = connection
        self.pointer = prepared.pointer
    }

    deinit { connection.cache.giveBack(prepared) }

    /// Moves to the next row, and returns false if there are no more rows.
    package mutating func step() throws -> Bool {
        if isDone { return false }
        let code = sqlite3_step(pointer)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw failure(code) }
        isDone = true
        return false
    }

    /// Runs a statement that returns no rows, and resets it with its bindings kept.
    package mutating func run() throws {
        defer { reset() }
        while try step() {}
    }

    /// Resets the statement with its bindings kept, which ends the read of a partially read statement.
    package mutating func reset() {
        // The code repeats the error of the last step, which was already thrown.
        sqlite3_reset(pointer)
        isDone = false
    }

    package var sql: String { prepared.sql }
    package var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }
    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }
    package var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    func failure(_ code: Int32) -> SQLiteError { connection.failure(code, sql: sql) }
}
