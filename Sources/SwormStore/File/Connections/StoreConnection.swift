import Foundation
package import SwormSQLite
import SwormRows
import SwormPredicates

/// A connection on its way between threads.
///
/// @unchecked: a connection is not for several threads at once. The pool hands it to one user and gets it back from that
/// user before anybody else sees it, under a lock, so two threads never use it at the same time.
package final class StoreConnection: @unchecked Sendable {
    let base: Connection
    /// The statements of requests that come again.
    let shapes = StatementShapes()
    /// What triggers have changed since it was last asked for.
    let changes = TriggerChanges()
    /// Reads no more than the file's first page, which every transaction reads.
    private let pinning = StatementSlot("PRAGMA user_version")
    private var trustsTrees = false
    /// The number of the view that the connection is read for. Unsafe: a number that is only read and assigned.
    @exclusivity(unchecked) var view = 0
    /// The views that read on a single connection. Touched while the condition of the pool is locked.
    var views = 0
    /// The uses of the connection that run now.
    let uses = ConnectionUses()
    /// Stops whoever the connection works for.
    private let user = Locked<InterruptToken?>(nil)

    init(_ base: Connection) { self.base = base }

    // MARK: Users

    /// Lets the connection work for somebody.
    ///
    /// - Parameters:
    ///   - token: Stops the work. Somebody without one gets one, as everybody can be stopped.
    ///   - watch: Gets the statements.
    func serve(_ token: InterruptToken?, _ watch: StatementWatch?) {
        if base.watch !== watch { base.watch = watch }
        if let token, base.interruption === token { return }
        let token = token ?? InterruptToken()
        base.interruption = token
        user.withLock { $0 = token }
    }

    /// Lets the connection work for nobody.
    func serveNobody() {
        base.interruption = nil
        user.withLock { $0 = nil }
    }

    /// Who the connection works for. May be asked from any thread.
    var servedToken: InterruptToken? { user.withLock { $0 } }

    /// Runs one statement to its end.
    func run(_ sql: String, _ values: [StoredValue] = []) throws {
        var statement = try base.statement(sql)
        try statement.bind(values)
        while try statement.step() {}
    }

    /// Runs a query and hands each row over.
    package func rows(_ sql: String, _ values: [StoredValue] = [], _ body: (borrowing Statement) throws -> Void) throws
    {
        var statement = try base.statement(sql)
        try statement.bind(values)
        while try statement.step() { try body(statement) }
    }

    /// The first column of the first row as an integer; nil for no row and for NULL.
    package func integer(_ sql: String, _ values: [StoredValue] = []) throws -> Int64? {
        var statement = try base.statement(sql)
        try statement.bind(values)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.int64(0)
    }

    /// Lets triggers write into R-trees, if the file has any: without, no row of their tables could be written.
    ///
    /// SQLite holds R-trees for harmless only in connections that trust the schema. Nothing that is worse is allowed by that:
    /// our own functions may be called by no trigger in any case. Called before a transaction; does its work once.
    func trustTrees() throws {
        guard !trustsTrees else { return }
        let trees = try integer(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE %USING RTREE%'")
        if trees != 0 { try base.execute("PRAGMA trusted_schema = ON") }
        trustsTrees = true
    }

    /// Takes the write lock in a read transaction, if its snapshot is the newest.
    ///
    /// - Throws: `SQLITE_BUSY_SNAPSHOT` where it is not, and `SQLITE_BUSY`, at once, where somebody else has the lock. The
    ///   read transaction goes on in both cases.
    func lockForWriting() throws {
        // SQLite takes the lock for any statement that could write, before it looks for rows.
        try run("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION WHERE 0")
    }

    /// Lets the temporary triggers be made anew before the next write: where they were made inside of a transaction
    /// that was undone, they do not exist any more.
    func forgetPreparations() { changes.isPrepared = false }

    /// Starts a read transaction and reads, so that what follows sees one state of the file.
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

    /// Ends a read transaction. It has nothing to lose, so an error has nothing to say.
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
