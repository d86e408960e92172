import CSwormSQLite
import Foundation
package import SwormRows

/// A connection to a database.
///
/// It is opened without SQLite's mutexes, so only one thread at a time may use it and its statements; the exception is
/// `interruptHandle`. The connection is closed when it is deallocated; a statement retains its connection.
package final class Connection {
    let location: Location
    let options: Options
    /// A handle that stops the work of the connection, from any thread.
    package let interruptHandle: InterruptHandle
    let pointer: OpaquePointer
    let cache: StatementCache
    let beginning = StatementSlot(TransactionKind.deferred.rawValue)
    let committing = StatementSlot("COMMIT")
    var savepointDepth = 0

    /// The token by which other threads stop the work of the connection.
    package var interruption: InterruptToken? {
        didSet { if interruption !== oldValue { installInterruption() } }
    }
    let waiting: UnsafeMutablePointer<sworm_waiting>
    /// A closure that is called when the connection is closed.
    package var onClose: (@Sendable () -> Void)?

    /// The observer of completed statements. Statements inside triggers are not reported.
    package var watch: StatementWatch? {
        didSet { if watch !== oldValue { installWatch() } }
    }
    /// The recorder of changed rows, which lasts as long as the connection, because the names of its tables do.
    let recorder = ChangeRecorder()
    /// Whether changed rows are recorded.
    package internal(set) var isRecording = false {
        didSet { if isRecording != oldValue { installRecorder() } }
    }
    /// The counter of the commits into the log of the file. Requires ``notesLog()``.
    package var commitCounter: CommitCounter? {
        didSet { waiting.pointee.commits = commitCounter?.memory }
    }
    /// The running statements, recorded while there is an observer.
    var running: [Running] = []
    /// Whether statements are currently not reported to the observer.
    var isSilent = false

    /// Opens the database and reads its header, so that opening a file that is not a database fails.
    ///
    /// An empty file is an empty database.
    package init(_ location: Location, options: Options = Options()) throws {
        let pointer = try Connection.open(location, options: options)
        let waiting = Connection.makeWaiting(pointer, timeout: options.busyTimeout)
        do {
            try Connection.configure(pointer, options: options)
        } catch {
            sqlite3_close_v2(pointer)
            waiting.deallocate()
            throw Connection.openingFailure(error, at: location)
        }
        self.location = location
        self.options = options
        self.pointer = pointer
        self.waiting = waiting
        self.cache = StatementCache(limit: options.statementCacheLimit)
        self.interruptHandle = InterruptHandle(pointer)
    }

    deinit {
        if watch != nil { sqlite3_trace_v2(pointer, 0, nil, nil) }
        interruptHandle.invalidate()
        cache.removeAll()
        sqlite3_progress_handler(pointer, 0, nil, nil)
        sqlite3_close_v2(pointer)
        // A zombie connection, which is kept for an unfinished statement, does not wait for locks.
        waiting.deallocate()
        onClose?()
    }

    /// Runs one or more statements and discards their results.
    package func execute(_ sql: String) throws {
        try Connection.execute(sql, on: pointer)
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed, without those that triggers changed.
    package var changes: Int { Int(sqlite3_changes64(pointer)) }
    /// The number of rows changed since the connection was opened, including those that triggers changed.
    package var totalChanges: Int { Int(sqlite3_total_changes64(pointer)) }
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(pointer) }
    /// Resets ``lastInsertedRowID`` to 0 until a row is inserted.
    package func forgetInsertedRowID() { sqlite3_set_last_insert_rowid(pointer, 0) }
    package var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }
    /// Whether the file is read-only, by option or because of its permissions.
    package var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// Whether the path of the open file now refers to another file, or to none.
    package var hasMoved: Bool {
        var moved: Int32 = 0
        guard sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK else { return false }
        return moved != 0
    }

    func failure(_ code: Int32, sql: String? = nil) -> SQLiteError {
        SQLiteError(code, on: pointer, sql: sql)
    }
}
