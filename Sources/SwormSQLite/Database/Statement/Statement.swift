import CSwormSQLite

/// A prepared statement, held by one owner. At the end of its life it is reset, emptied of its bindings and given back.
package struct Statement: ~Copyable {
    let prepared: PreparedStatement
    package let connection: Connection
    let pointer: OpaquePointer
    /// The last row was read. Until a reset, a further step returns false; SQLite itself would run the statement again.
    package internal(set) var isDone = false
    /// Keeps the bytes alive that are bound without a copy.
    var arena: BindingArena?

    init(_ prepared: PreparedStatement, of connection: Connection) {
        self.prepared = prepared
        self.connection = connection
        self.pointer = prepared.pointer
    }

    deinit { connection.cache.giveBack(prepared) }

    /// Goes to the next row; false when there is none left.
    package mutating func step() throws -> Bool {
        if isDone { return false }
        let code = sqlite3_step(pointer)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else { throw failure(code) }
        isDone = true
        return false
    }

    /// Runs a statement that returns no rows, and makes it ready to run again with its bindings kept.
    package mutating func run() throws {
        defer { reset() }
        while try step() {}
    }

    /// Makes the statement ready to run again, bindings kept. Ends the read that a half-read statement holds open.
    package mutating func reset() {
        // The code repeats the error of the last step, which was thrown there.
        sqlite3_reset(pointer)
        isDone = false
    }

    package var sql: String { prepared.sql }
    package var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }
    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }
    package var columnCount: Int { Int(sqlite3_column_count(pointer)) }

    func failure(_ code: Int32) -> SQLiteError { connection.failure(code, sql: sql) }
}
