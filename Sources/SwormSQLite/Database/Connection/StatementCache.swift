import CSwormSQLite

/// A prepared statement, with its state of use.
final class PreparedStatement {
    let pointer: OpaquePointer
    let sql: String
    let isCached: Bool
    // Unsafe: overlapping accesses are not checked. They cannot occur for numbers that are only read and assigned.
    @exclusivity(unchecked) var isInUse = true
    @exclusivity(unchecked) var lastUse: UInt64 = 0

    init(pointer: OpaquePointer, sql: String, isCached: Bool) {
        self.pointer = pointer
        self.sql = sql
        self.isCached = isCached
    }

    deinit { sqlite3_finalize(pointer) }
}

/// The prepared statements of a connection, by their SQL text. The least recently used statement is removed first.
final class StatementCache {
    private var statements: [String: PreparedStatement] = [:]
    private let limit: Int
    // Unsafe: overlapping accesses are not checked. They cannot occur for numbers that are only read and assigned.
    @exclusivity(unchecked) private var clock: UInt64 = 0

    init(limit: Int) { self.limit = max(0, limit) }

    var count: Int { statements.count }

    /// Returns whether a statement that is prepared now for the text should be cached. A second statement for the same
    /// text is not.
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
        // The cache can exceed its limit by one if all other statements were in use when this one was added.
        if statement.isCached, statements.count > limit { removeOldest() }
    }

    func removeAll() { statements.removeAll() }

    // A search of the whole cache is cheap compared with the preparation of the new statement.
    private func removeOldest() {
        let idle = statements.values.lazy.filter { !$0.isInUse }
        if let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) { statements[oldest.sql] = nil }
    }
}
