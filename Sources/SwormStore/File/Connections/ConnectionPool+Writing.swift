import Foundation
import SwormSQLite
import SwormRows

// Connections that write, one at a time.
extension ConnectionPool {
    /// Runs a closure on the connection for writing, which is not in a transaction at that time.
    ///
    /// If this thread has a read transaction on a single connection, that transaction is ended before the closure and
    /// started again after it.
    ///
    /// - Parameters:
    ///   - watch: Receives the statements that the connection runs.
    ///   - token: Stops the statements, and the wait for the turn.
    func withWriter<Result>(
        watch: StatementWatch? = nil, token: InterruptToken? = nil, _ body: (StoreConnection) throws -> Result
    ) throws -> Result {
        let (connection, wasPinned) = try takeWriter(watch: watch, token: token)
        defer {
            giveBackWriter(connection, wasPinned: wasPinned)
            connection.uses.end()
        }
        return try body(connection)
    }

    /// Returns the connection for writing, which is not in a transaction. The caller must return it with
    /// ``giveBackWriter(_:wasPinned:)``, and end the use of it that this method starts.
    ///
    /// - Parameters:
    ///   - watch: Receives the statements that the connection runs.
    ///   - token: Stops the statements, and the wait for the turn.
    /// - Returns: The connection, and whether a read transaction of this thread on a single connection was ended.
    func takeWriter(
        watch: StatementWatch? = nil, token: InterruptToken? = nil
    ) throws -> (connection: StoreConnection, wasPinned: Bool) {
        let connection = try takeSingle(token)
        do {
            if let failure = token?.failure { throw failure }
            if kind == .writerAndReaders { hub.pauseForOthers() }
            connection.serve(token, watch: watch)
            try beginWrite(of: connection)
        } catch {
            connection.stopServing()
            releaseSingle()
            connection.uses.end()
            throw error
        }
        let wasPinned = connection.base.isInTransaction
        // If there is no view, the transaction is one whose rollback has failed.
        if wasPinned, isViewed(connection) {
            connection.unpin()
        } else if wasPinned {
            try? connection.base.rollback()
        }
        return (connection, wasPinned)
    }

    /// Runs a closure like ``withWriter(_:_:_:)``, but without waiting and without ending a view.
    ///
    /// - Returns: The result of the closure, or nil if another thread writes, or reads on a single connection.
    func withFreeWriter<Result>(_ body: (StoreConnection) throws -> Result?) throws -> Result? {
        guard let connection = try? takeSingle(nil, until: .now) else { return nil }
        defer {
            releaseSingle()
            connection.uses.end()
        }
        guard !connection.base.isInTransaction else { return nil }
        connection.serve(nil, watch: nil)
        defer { connection.stopServing() }
        guard (try? beginWrite(of: connection)) != nil else { return nil }
        defer { endWrite() }
        guard kind == .writerAndReaders else { return try body(connection) }
        return try hub.checkpoints.run(until: .now) { try body(connection) } ?? nil
    }

    func giveBackWriter(_ connection: StoreConnection, wasPinned: Bool) {
        connection.stopServing()
        keepLog(connection)
        // If the pool is shut, its views are being ended.
        if wasPinned, reason == nil, isViewed(connection) { try? connection.pin() }
        endWrite()
        releaseSingle()
    }

    /// Takes the turn for a connection that is reading, and allows it to write to the snapshot that it reads.
    ///
    /// - Parameters:
    ///   - watch: Receives the statements that the connection runs.
    ///   - token: Stops the statements, and the wait for the turn.
    ///   - prepare: Prepares the connection for writing.
    /// - Throws: A conflict if there was a commit after the snapshot was taken. The connection can continue to read
    ///   then.
    func upgrade(
        _ connection: StoreConnection, watch: StatementWatch?, token: InterruptToken?,
        prepare: (StoreConnection) throws -> Void
    ) throws {
        // The reader of a single connection already holds the turn.
        if kind != .single { try hub.takeTurn(until: end(token), token) }
        do {
            if let failure = token?.failure { throw failure }
            connection.serve(token, watch: watch)
            try beginWrite(of: connection)
        } catch {
            if kind != .single { hub.releaseTurn() }
            throw error
        }
        do {
            if kind != .single { try connection.base.execute("PRAGMA query_only = OFF") }
            try prepare(connection)
            try lock(connection, token: token)
        } catch {
            protect(connection)
            endWrite()
            if kind != .single { hub.releaseTurn() }
            throw error
        }
    }

    /// Ends the turn of an upgraded connection, and makes the connection read-only again.
    func giveBackUpgraded(_ connection: StoreConnection) {
        keepLog(connection)
        protect(connection)
        endWrite()
        if kind != .single { hub.releaseTurn() }
        giveBack(connection)
    }

    /// Makes a connection for reading reject writes.
    func protect(_ connection: StoreConnection) {
        guard kind != .single else { return }
        connection.base.uninterrupted { try? connection.base.execute("PRAGMA query_only = ON") }
    }

    /// Whether the calling thread is writing on the connection on which it would read.
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

    /// Acquires the write lock for a connection that is reading.
    private func lock(_ connection: StoreConnection, token: InterruptToken?) throws {
        let end = end(token)
        var pause: UInt32 = 500
        while true {
            do {
                // A statement that is interrupted after it has taken effect would keep the lock.
                return try connection.base.uninterrupted { try connection.lockForWriting() }
            } catch let error as SQLiteError where error.extendedCode == SQLiteError.busySnapshot {
                throw CoreDataError.snapshotIsOld(error)
            } catch let error as SQLiteError where error.code == SQLiteError.busy {
                // Without a log, the holder of the lock waits for this reader to end, so one of the two must give up.
                if kind == .single { throw CoreDataError.snapshotIsOld(error) }
                // SQLite does not wait while a snapshot is held, because any commit would make the snapshot old.
                if let failure = token?.failure { throw failure }
                guard ContinuousClock.now < end else { throw error }
            }
            usleep(pause)
            pause = min(2 * pause, 2_000)
        }
    }
}
