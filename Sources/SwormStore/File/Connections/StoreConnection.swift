import Foundation
package import SwormSQLite
import SwormRows
import SwormPredicates

/// A connection that moves between threads.
///
/// @unchecked: a connection must not be used by several threads at once. The pool lends it to one user and, under a
/// lock, gets it back from that user before any other user can access it. Therefore two threads never use it at the
/// same time.
package final class StoreConnection: @unchecked Sendable {
    let base: Connection
    /// The statements of repeated requests.
    let shapes = StatementShapes()
    /// The changes that triggers have made since the changes were last collected.
    let changes = TriggerChanges()
    /// The contents of the tables of ``base``'s recorder, which are looked up once.
    var recordedTables: [ChangedTable?] = []
    /// A statement that reads only the first page of the file, which every transaction reads.
    private let pinning = StatementSlot("PRAGMA user_version")
    private var trustsTrees = false
    /// Whether the file has triggers that are not Core Data's, which may change any row and property; nil before it was
    /// looked up.
    private(set) var hasForeignTriggers: Bool?
    /// The number of the view that uses the connection for reading. Unchecked exclusivity is safe, because the number
    /// is only read and assigned.
    @exclusivity(unchecked) var view = 0
    /// The number of views that read on a single connection. Accessed only while the condition of the pool is locked.
    var views = 0
    /// The running uses of the connection.
    let uses = ConnectionUses()
    /// The token that stops the current user of the connection.
    private let user = Locked<InterruptToken?>(nil)

    init(_ base: Connection) { self.base = base }

    // MARK: Users

    /// Assigns the connection to a user.
    ///
    /// - Parameters:
    ///   - token: Stops the work. If it is nil, a new token is created, because all work can be stopped.
    ///   - watch: Receives the statements.
    func serve(_ token: InterruptToken?, watch: StatementWatch?) {
        if base.watch !== watch { base.watch = watch }
        if let token, base.interruption === token { return }
        let token = token ?? InterruptToken()
        base.interruption = token
        user.withLock { $0 = token }
    }

    /// Removes the user of the connection.
    func stopServing() {
        base.interruption = nil
        user.withLock { $0 = nil }
    }

    /// The token of the current user of the connection. Can be called from any thread.
    var servedToken: InterruptToken? { user.withLock { $0 } }

    /// Runs one statement to its end.
    func run(_ sql: String, binding values: [StoredValue] = []) throws {
        var statement = try base.statement(sql)
        try statement.bind(values)
        while try statement.step() {}
    }

    /// Runs a query and calls a closure with each row.
    package func rows(_ sql: String, binding values: [StoredValue] = [], _ body: (borrowing Statement) throws -> Void)
        throws
    {
        var statement = try base.statement(sql)
        try statement.bind(values)
        while try statement.step() { try body(statement) }
    }

    /// Returns the first column of the first row as an integer, or nil if there is no row or the value is NULL.
    package func integer(_ sql: String, binding values: [StoredValue] = []) throws -> Int64? {
        var statement = try base.statement(sql)
        try statement.bind(values)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.int64(0)
    }

    /// Allows triggers to write to R-trees if the file has any, because otherwise no row of their tables could be
    /// written.
    ///
    /// SQLite considers R-trees harmless only in connections that trust the schema. This does not allow anything more
    /// dangerous, because triggers can never call the functions that this library registers. Called before a
    /// transaction; does its work once.
    func trustTrees() throws {
        guard !trustsTrees else { return }
        let trees = try integer(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %USING RTREE%'")
        if trees != 0 { try base.execute("PRAGMA trusted_schema = ON") }
        trustsTrees = true
    }

    /// Looks for triggers that are not Core Data's. Called before a transaction; does its work once.
    ///
    /// - Returns: Whether there are any.
    @discardableResult
    func findForeignTriggers() throws -> Bool {
        if let hasForeignTriggers { return hasForeignTriggers }
        // The triggers of an R-tree have its name, and change no object.
        let count = try integer(
            """
            SELECT count(*) FROM sqlite_master AS t WHERE type = 'trigger' AND substr(name, 1, 5) <> 'Z_DA_' \
            AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %USING RTREE%' \
            AND substr(t.name, 1, length(name) + 1) = name || '_')
            """)
        hasForeignTriggers = count != 0
        return count != 0
    }

    /// Acquires the write lock in a read transaction, if its snapshot is the newest.
    ///
    /// - Throws: `SQLITE_BUSY_SNAPSHOT` if the snapshot is not the newest, or `SQLITE_BUSY`, without waiting, if
    ///   another connection has the lock. The read transaction stays open in both cases.
    func lockForWriting() throws {
        // SQLite acquires the lock for any statement that could write, before it searches for rows.
        try run("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION WHERE 0")
    }

    /// Makes the next write create the temporary triggers again. If they were created inside a transaction that was
    /// rolled back, they no longer exist.
    func forgetPreparations() { changes.isPrepared = false }

    /// Starts a read transaction and reads, so that the following statements see one state of the file.
    func pin() throws {
        try base.begin(.deferred)
        do {
            var statement = try base.statement(pinning)
            _ = try statement.step()
        } catch {
            unpin()
            throw error
        }
    }

    /// Ends a read transaction. Errors are ignored, because there are no changes to lose.
    func unpin() {
        guard base.isInTransaction else { return }
        do {
            try base.commit()
        } catch {
            try? base.rollback()
            forgetPreparations()
        }
    }
}
