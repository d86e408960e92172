import CSoakSQLite

/// A connection to a file by SQLite's own interface, as another program has it.
final class PlainConnection {
    private let pointer: OpaquePointer

    init(_ path: String) throws {
        var pointer: OpaquePointer?
        guard sqlite3_open_v2(path, &pointer, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let pointer else {
            throw Failure("SQLite cannot open \(path)")
        }
        self.pointer = pointer
        sqlite3_busy_timeout(pointer, 10_000)
        try run("PRAGMA synchronous = NORMAL")
    }

    deinit { sqlite3_close_v2(pointer) }

    /// Runs a statement, and returns the text of the first column of the last row.
    @discardableResult
    func run(_ sql: String) throws -> String? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
        defer { sqlite3_finalize(statement) }
        var found: String?
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: found = sqlite3_column_text(statement, 0).map { String(cString: $0) }
            case SQLITE_DONE: return found
            default: throw failure(sql)
            }
        }
    }

    private func failure(_ sql: String) -> Failure {
        Failure("\(sql): \(String(cString: sqlite3_errmsg(pointer)))")
    }
}
