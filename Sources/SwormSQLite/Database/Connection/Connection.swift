import CSwormSQLite
import Foundation
package import SwormRows

/// One open database.
///
/// It is opened without SQLite's mutexes, so one thread at a time may use it and its statements; only `interruptHandle`
/// is free of that rule. It closes when nothing refers to it any more; a statement refers to its connection.
package final class Connection {
    package let location: Location
    package let options: Options
    /// Stops what the connection is doing, from any thread.
    package let interruptHandle: InterruptHandle
    let pointer: OpaquePointer
    let cache: StatementCache
    let beginning = StatementSlot(TransactionKind.deferred.rawValue)
    let committing = StatementSlot("COMMIT")
    var savepointDepth = 0

    /// Lets other threads stop what the connection runs.
    package var interruption: InterruptToken? {
        didSet { if interruption !== oldValue { installInterruption() } }
    }
    let waiting: UnsafeMutablePointer<sworm_waiting>
    /// Called when the connection is closed.
    package var onClose: (@Sendable () -> Void)?

    /// Told each statement that has ended. Statements inside triggers are not told.
    package var watch: StatementWatch? {
        didSet { if watch !== oldValue { installWatch() } }
    }
    /// The statements that are running while somebody watches.
    var running: [Running] = []
    /// Whether nobody is told what the connection runs.
    var isSilent = false

    /// Opens the database, and reads its header, so that a file that is no database fails here.
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
            throw Connection.openingFailure(error, location)
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
        // A zombie that is kept for an unfinished statement waits for no lock.
        waiting.deallocate()
        onClose?()
    }

    /// Runs one or several statements and drops what they return.
    package func execute(_ sql: String) throws {
        try Connection.execute(sql, on: pointer)
    }

    /// The rows that the last INSERT, UPDATE or DELETE changed, without those that triggers changed.
    package var changes: Int { Int(sqlite3_changes64(pointer)) }
    /// The rows changed since the connection was opened, those of triggers included.
    package var totalChanges: Int { Int(sqlite3_total_changes64(pointer)) }
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(pointer) }
    /// Lets ``lastInsertedRowID`` say nothing, until a row is inserted.
    package func forgetInsertedRowID() { sqlite3_set_last_insert_rowid(pointer, 0) }
    package var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }
    /// Whether the file can only be read: by choice, or because its permissions say so.
    package var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    /// Whether the path that the file was opened by leads to another file now, or to none.
    package var hasMoved: Bool {
        var moved: Int32 = 0
        guard sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK else { return false }
        return moved != 0
    }

    func failure(_ code: Int32, sql: String? = nil) -> SQLiteError {
        SQLiteError(code, on: pointer, sql: sql)
    }
}
