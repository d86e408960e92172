import CSwormSQLite

extension Connection {
    /// Returns a statement for the text, from the cache if it is cached and not in use, otherwise newly prepared.
    ///
    /// The text must contain exactly one statement.
    package func statement(_ sql: String) throws -> Statement {
        if let prepared = cache.take(sql) { return Statement(prepared, of: self) }
        let isCached = cache.hasRoom(for: sql)
        let pointer = try prepare(sql)
        if watch != nil { reportPlan(of: sql) }
        let prepared = PreparedStatement(pointer: pointer, sql: sql, isCached: isCached)
        if isCached { cache.insert(prepared) }
        return Statement(prepared, of: self)
    }

    /// Finalizes the cached statements that are not in use.
    package func dropCachedStatements() { cache.removeAll() }

    /// Runs a cached statement to completion.
    func run(_ sql: String) throws {
        var statement = try statement(sql)
        while try statement.step() {}
    }

    /// Runs the statement of a slot to completion.
    func run(_ slot: StatementSlot) throws {
        var statement = try statement(slot)
        while try statement.step() {}
    }

    func prepare(_ sql: String) throws -> OpaquePointer {
        guard !sql.utf8.contains(0) else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "an SQL string must not contain a NUL character", sql: sql)
        }
        return try sql.withCString { text in
            var statement: OpaquePointer?
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(pointer, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &rest)
            guard code == SQLITE_OK else { throw failure(code, sql: sql) }
            guard let statement else {
                throw SQLiteError(code: SQLITE_MISUSE, message: "the SQL string contains no statement", sql: sql)
            }
            guard isBlank(rest) else {
                sqlite3_finalize(statement)
                throw SQLiteError(
                    code: SQLITE_MISUSE,
                    message: "the SQL string contains more than one statement; use `execute()` for several",
                    sql: sql)
            }
            return statement
        }
    }

    /// Returns whether the rest consists only of whitespace, semicolons and comments.
    private func isBlank(_ text: UnsafePointer<CChar>?) -> Bool {
        var rest = text
        while let start = rest, start.pointee != 0 {
            var second: OpaquePointer?
            let code = sqlite3_prepare_v3(pointer, start, -1, 0, &second, &rest)
            guard code == SQLITE_OK, second == nil else {
                sqlite3_finalize(second)
                return false
            }
        }
        return true
    }
}
