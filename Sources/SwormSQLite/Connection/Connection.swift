import CSwormSQLite
import Foundation

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
    var savepointDepth = 0

    /// Told the text of each statement that starts, never its values. Statements inside triggers are not told.
    package var trace: ((String) -> Void)? {
        didSet { installTrace() }
    }

    /// Opens the database, and reads its header, so that a file that is no database fails here.
    ///
    /// An empty file is an empty database.
    package init(_ location: Location, options: Options = Options()) throws {
        let pointer = try Connection.open(location, options: options)
        do {
            try Connection.configure(pointer, options: options)
        } catch {
            sqlite3_close_v2(pointer)
            throw Connection.openingFailure(error, location)
        }
        self.location = location
        self.options = options
        self.pointer = pointer
        self.cache = StatementCache(limit: options.statementCacheLimit)
        self.interruptHandle = InterruptHandle(pointer)
    }

    deinit {
        interruptHandle.invalidate()
        cache.removeAll()
        sqlite3_close_v2(pointer)
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
    package var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }
    /// Whether the file can only be read: by choice, or because its permissions say so.
    package var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

    func failure(_ code: Int32, sql: String? = nil) -> SQLiteError {
        SQLiteError(code, on: pointer, sql: sql)
    }

    private func installTrace() {
        guard trace != nil else {
            sqlite3_trace_v2(pointer, 0, nil, nil)
            return
        }
        sqlite3_trace_v2(
            pointer, UInt32(SQLITE_TRACE_STMT),
            { _, context, statement, text in
                guard let context, let statement, let text else { return 0 }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                let traced = text.assumingMemoryBound(to: CChar.self)
                // For a statement inside a trigger SQLite passes a comment in place of the text.
                guard let own = sqlite3_sql(OpaquePointer(statement)), strcmp(own, traced) == 0 else { return 0 }
                connection.trace?(String(cString: traced))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
