import CSwormSQLite

extension Connection {
    /// Replaces the other connection's database with a copy of this one.
    ///
    /// If a step copies only few pages, other connections may write in between, which restarts the copy. An error,
    /// including one that `progress` throws, stops the copy and leaves the other database unchanged.
    package func backup(
        to other: Connection, pagesPerStep: Int = -1,
        progress: ((_ remaining: Int, _ total: Int) throws -> Void)? = nil
    ) throws {
        guard let backup = sqlite3_backup_init(other.pointer, "main", pointer, "main") else {
            throw other.failure(sqlite3_extended_errcode(other.pointer))
        }
        let pages = pagesPerStep > 0 ? Int32(clamping: pagesPerStep) : -1
        var code: Int32
        do {
            repeat {
                code = sqlite3_backup_step(backup, pages)
                if code == SQLITE_OK || code == SQLITE_DONE {
                    try progress?(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
                }
            } while code == SQLITE_OK
        } catch {
            sqlite3_backup_finish(backup)
            throw error
        }
        let finished = sqlite3_backup_finish(backup)
        // `sqlite3_backup_finish` does not report that a step found the lock taken.
        if code != SQLITE_DONE { throw SQLiteError(code, on: other.pointer) }
        if finished != SQLITE_OK { throw other.failure(finished) }
    }
}
