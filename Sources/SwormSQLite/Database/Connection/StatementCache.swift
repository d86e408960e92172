import CSwormSQLite

/// A prepared statement and whether somebody holds it.
final class PreparedStatement {
    let pointer: OpaquePointer
    let sql: String
    let isCached: Bool
    // Unsafe: not checked for overlapping accesses, which numbers that are only read and assigned cannot have.
    @exclusivity(unchecked) var isInUse = true
    @exclusivity(unchecked) var lastUse: UInt64 = 0

    init(pointer: OpaquePointer, sql: String, isCached: Bool) {
        self.pointer = pointer
        self.sql = sql
        self.isCached = isCached
    }

    deinit { sqlite3_finalize(pointer) }
}

/// The prepared statements of a connection, by their SQL text. The one whose last use is longest ago goes first.
final class StatementCache {
    private var statements: [String: PreparedStatement] = [:]
    private let limit: Int
    // Unsafe as above, and as harmless.
    @exclusivity(unchecked) private var clock: UInt64 = 0

    init(limit: Int) { self.limit = max(0, limit) }

    var count: Int { statements.count }

    /// Whether a statement prepared now for the text should be kept: a second one for the same text is not.
    func hasRoom(for sql: String) -> Bool { limit > 0 && statements[sql] == nil }

    func take(_ sql: String) -> PreparedStatement? {
        guard let found = statements[sql], !found.isInUse else { return nil }
        found.isInUse = true
        return found
    }

    func insert(_ statement: PreparedStatement) {
        if statements.count >= limit { removeOldest() }
        statements[statement.sql] = statement
    }

    func giveBack(_ statement: PreparedStatement) {
        sqlite3_reset(statement.pointer)
        sqlite3_clear_bindings(statement.pointer)
        clock += 1
        statement.lastUse = clock
        statement.isInUse = false
        // It may stand one above the limit when all others were in use as it came.
        if statement.isCached, statements.count > limit { removeOldest() }
    }

    func removeAll() { statements.removeAll() }

    // A walk over the whole cache is cheap beside the preparing that makes it necessary.
    private func removeOldest() {
        let idle = statements.values.lazy.filter { !$0.isInUse }
        if let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) { statements[oldest.sql] = nil }
    }
}
