import Foundation
import SwormSQLite
import SwormRows

// Connections that write, one at a time.
extension ConnectionPool {
    /// Runs a body on the connection for writing, which is in no transaction at that time.
    ///
    /// A read transaction that this thread has on a single connection is ended before and begun anew behind.
    ///
    /// - Parameters:
    ///   - watch: Gets the statements that it runs.
    ///   - token: Stops them, and the wait for the turn.
    func withWriter<Result>(
        _ watch: StatementWatch? = nil, _ token: InterruptToken? = nil, _ body: (StoreConnection) throws -> Result
    ) throws -> Result {
        let (connection, wasPinned) = try takeWriter(watch, token)
        defer {
            giveBackWriter(connection, wasPinned: wasPinned)
            connection.uses.end()
        }
        return try body(connection)
    }

    /// The connection for writing, in no transaction, for somebody who gives it back by ``giveBackWriter(_:wasPinned:)``. That is a
    /// use of it, which the caller ends.
    ///
    /// - Parameters:
    ///   - watch: Gets the statements that it runs.
    ///   - token: Stops them, and the wait for the turn.
    /// - Returns: The connection, and whether a read transaction of this thread on a single connection was ended for it.
    func takeWriter(
        _ watch: StatementWatch? = nil, _ token: InterruptToken? = nil
    ) throws -> (connection: StoreConnection, wasPinned: Bool) {
        let connection = try takeSingle(token)
        do {
            if let failure = token?.failure { throw failure }
            if kind == .writerAndReaders { hub.pauseForOthers() }
            connection.serve(token, watch)
            try beginWrite(of: connection)
        } catch {
            connection.serveNobody()
            releaseSingle()
            connection.uses.end()
            throw error
        }
        let wasPinned = connection.base.isInTransaction
        // Without a view it is a transaction that could not be undone.
        if wasPinned, isViewed(connection) {
            connection.unpin()
        } else if wasPinned {
            try? connection.base.rollback()
        }
        return (connection, wasPinned)
    }

    /// Runs a body like ``withWriter(_:_:_:)``, but waits for nobody and ends no view.
    ///
    /// - Returns: The result of the body; nil where somebody writes, or reads on a single connection.
    func withFreeWriter<Result>(_ body: (StoreConnection) throws -> Result?) throws -> Result? {
        guard let connection = try? takeSingle(nil, until: .now) else { return nil }
        defer {
            releaseSingle()
            connection.uses.end()
        }
        guard !connection.base.isInTransaction else { return nil }
        connection.serve(nil, nil)
        defer { connection.serveNobody() }
        guard (try? beginWrite(of: connection)) != nil else { return nil }
        defer { endWrite() }
        guard kind == .writerAndReaders else { return try body(connection) }
        return try hub.checkpoints.run(until: .now) { try body(connection) } ?? nil
    }

    func giveBackWriter(_ connection: StoreConnection, wasPinned: Bool) {
        connection.serveNobody()
        keepLog(connection)
        // The views of a pool that is shut are being ended.
        if wasPinned, reason == nil, isViewed(connection) { try? connection.pin() }
        endWrite()
        releaseSingle()
    }

    /// Takes the turn for a connection that is being read, and lets it write into the snapshot that it reads.
    ///
    /// - Parameters:
    ///   - watch: Gets the statements that it runs.
    ///   - token: Stops them, and the wait for the turn.
    ///   - prepare: Makes the connection fit to write.
    /// - Throws: A conflict where something was committed since the snapshot was taken. The connection goes on reading then.
    func upgrade(
        _ connection: StoreConnection, watch: StatementWatch?, token: InterruptToken?,
        prepare: (StoreConnection) throws -> Void
    ) throws {
        // A single connection is held by its reader.
        if kind != .single { try hub.takeTurn(until: end(token), token) }
        do {
            if let failure = token?.failure { throw failure }
            connection.serve(token, watch)
            try beginWrite(of: connection)
        } catch {
            if kind != .single { hub.releaseTurn() }
            throw error
        }
        do {
            if kind != .single { try connection.base.execute("PRAGMA query_only = OFF") }
            try prepare(connection)
            try lock(connection, token)
        } catch {
            protect(connection)
            endWrite()
            if kind != .single { hub.releaseTurn() }
            throw error
        }
    }

    /// Ends the turn of a connection that was upgraded, and takes it back.
    func giveBackUpgraded(_ connection: StoreConnection) {
        keepLog(connection)
        protect(connection)
        endWrite()
        if kind != .single { hub.releaseTurn() }
        giveBack(connection)
    }

    /// Lets a reading connection write no more.
    func protect(_ connection: StoreConnection) {
        guard kind != .single else { return }
        connection.base.uninterrupted { try? connection.base.execute("PRAGMA query_only = ON") }
    }

    /// Whether the calling thread writes on the connection that it would read on.
    var isWritingHere: Bool {
        kind == .single && hub.holder == ThreadHoldings.thread && condition.withLock { write != nil }
    }

    private func isViewed(_ connection: StoreConnection) -> Bool { condition.withLock { connection.views > 0 } }

    func beginWrite(of connection: StoreConnection) throws {
        try hub.beginWriting()
        condition.lock()
        defer { condition.unlock() }
        if let shutReason {
            hub.endWriting()
            throw shutReason
        }
        write = connection.servedToken ?? InterruptToken()
    }

    func endWrite() {
        condition.withLock { write = nil }
        hub.endWriting()
    }

    /// Takes the write lock for a connection that is being read.
    private func lock(_ connection: StoreConnection, _ token: InterruptToken?) throws {
        let end = end(token)
        var pause: UInt32 = 500
        while true {
            do {
                // A statement that was stopped behind its effect would keep the lock.
                return try connection.base.uninterrupted { try connection.lockForWriting() }
            } catch let error as SQLiteError where error.extendedCode == SQLiteError.busySnapshot {
                throw CoreDataError.snapshotIsOld(error)
            } catch let error as SQLiteError where error.code == SQLiteError.busy {
                // Without a log whoever has the lock waits for this reader to end, so that one of the two must give way.
                if kind == .single { throw CoreDataError.snapshotIsOld(error) }
                // SQLite does not wait where a snapshot is held, as it would be old after any commit.
                if let failure = token?.failure { throw failure }
                guard ContinuousClock.now < end else { throw error }
            }
            usleep(pause)
            pause = min(2 * pause, 2_000)
        }
    }
}
