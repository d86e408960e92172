import SwormSQLite

extension StoreConnection {
    /// Calls a closure under the write lock, provided that every reader of the file, in any process, sees its newest
    /// state. Does not wait.
    ///
    /// A RESTART checkpoint succeeds only if every reader reads only the database file, which contains the whole log.
    /// If there is no commit between the start of the checkpoint and the write lock, that is the newest state. Without
    /// a log, a commit excludes readers, so that all readers have started after the last commit.
    ///
    /// - Returns: Nil, without calling the closure, if another connection writes or reads an older state.
    func atNewestState<Result>(_ body: () throws -> Result?) throws -> Result? {
        guard !base.isInTransaction else { return nil }
        do {
            return try base.waiting(atMost: 0) {
                let state = try integer("PRAGMA data_version")
                let hasLog = try base.checkpoint(.restart).log >= 0
                try base.begin(.immediate)
                defer { try? base.rollback() }
                guard try !hasLog || integer("PRAGMA data_version") == state else { return nil }
                return try body()
            }
        } catch let error as SQLiteError where error.code == SQLiteError.busy || error.code == SQLiteError.locked {
            return nil
        }
    }
}
