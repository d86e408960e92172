import CSwormSQLite

extension Connection {
    package enum JournalMode: String, Sendable, Hashable {
        case wal, delete, truncate, persist, memory, off
    }

    package enum CheckpointMode: Sendable, Hashable {
        /// Moves as many pages as possible without waiting.
        case passive
        case full
        case restart
        /// Like restart, and also truncates the `-wal` file to zero bytes.
        case truncate

        var code: Int32 {
            switch self {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        }
    }

    package func journalMode() throws -> JournalMode {
        try journalMode(asking: "PRAGMA main.journal_mode")
    }

    /// Changes the journal mode. Throws an error if SQLite keeps another mode, as it does for in-memory databases.
    package func setJournalMode(_ mode: JournalMode) throws {
        let sql = "PRAGMA main.journal_mode = \(mode.rawValue)"
        let answer = try journalMode(asking: sql)
        guard answer == mode else {
            throw SQLiteError(
                code: SQLITE_ERROR,
                message: "cannot change the journal mode to \(mode.rawValue): it is still \(answer.rawValue)",
                sql: sql)
        }
    }

    /// Changes how strictly commits are flushed to the disk. Observers do not receive this statement.
    package func setSynchronous(_ synchronous: Synchronous) throws {
        let wasSilent = isSilent
        isSilent = true
        defer { isSilent = wasSilent }
        try execute("PRAGMA synchronous = \(synchronous.rawValue)")
    }

    /// Moves pages from the `-wal` file into the database, and returns the number of frames in the log and the number
    /// of moved frames.
    ///
    /// Both are -1 if the database has no WAL. Modes other than passive throw `SQLITE_BUSY` if the busy timeout
    /// elapses while other connections read or write.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode) throws -> (log: Int, checkpointed: Int) {
        var log: Int32 = -1
        var checkpointed: Int32 = -1
        let code = sqlite3_wal_checkpoint_v2(pointer, "main", mode.code, &log, &checkpointed)
        if code != SQLITE_OK { throw failure(code) }
        return (Int(log), Int(checkpointed))
    }

    /// Turns off automatic checkpoints, so that the owner of the connection decides when pages of the log are moved,
    /// based on ``takeLogFrames()``.
    package func notesLog() { sqlite3_wal_hook(pointer, sworm_note_log, waiting) }

    /// Returns the number of frames in the log after the last commit of this connection, or nil if there was no commit
    /// since the last call.
    package func takeLogFrames() -> Int? {
        defer { waiting.pointee.frames = 0 }
        return waiting.pointee.frames > 0 ? Int(waiting.pointee.frames) : nil
    }

    /// Runs a closure with a shorter timeout for locks of other connections.
    package func waiting<R>(atMost seconds: Double, _ body: () throws -> R) rethrows -> R {
        let limit = waiting.pointee.limit
        waiting.pointee.limit = min(limit, Int64(max(0, min(seconds, 1e9)) * 1e9))
        defer { waiting.pointee.limit = limit }
        return try body()
    }

    private func journalMode(asking sql: String) throws -> JournalMode {
        var statement = try statement(sql)
        guard try statement.step(), let text = statement.text(0), let mode = JournalMode(rawValue: text) else {
            throw SQLiteError(code: SQLITE_ERROR, message: "SQLite returned no journal mode", sql: sql)
        }
        return mode
    }
}
