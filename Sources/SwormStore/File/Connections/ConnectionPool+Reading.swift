import Foundation
import SwormSQLite
import SwormRows

// Connections that see one state of the file.
extension ConnectionPool {
    /// Returns a connection that sees one state of the file until it is returned to the pool.
    ///
    /// - Parameters:
    ///   - watch: Receives the statements that the connection runs.
    ///   - token: Stops the statements, and the wait for a single connection.
    func takeReader(watch: StatementWatch? = nil, token: InterruptToken? = nil) throws -> StoreConnection {
        if kind == .single {
            let now = Moment.now
            if condition.withLock({ isFileCheckDue(now) }) { try checkFile() }
            let connection = try takeSingle(token)
            defer { connection.uses.end() }
            connection.serve(token, watch: watch)
            do {
                if !connection.base.isInTransaction { try connection.pin() }
            } catch {
                releaseSingle()
                throw error
            }
            condition.withLock { connection.views += 1 }
            return connection
        }
        let now = Moment.now
        let isAdmitted = ThreadHoldings.isHolding
        let (reused, isDue, view) = try condition.withLock {
            if let shutReason { throw shutReason }
            return (idle.popLast(), isFileCheckDue(now), open.add(isAdmitted: isAdmitted, token, now: now))
        }
        if view.warns { warnOfPins() }
        do {
            if isDue { try checkFile() }
            let connection = try pinned(reusing: reused, watch: watch, token: token)
            connection.view = view.number
            return connection
        } catch {
            condition.withLock { open.remove(view.number) }
            throw error
        }
    }

    /// Returns a connection that reads a snapshot, which is either the given connection or a new one.
    private func pinned(
        reusing reused: StoreConnection?, watch: StatementWatch?, token: InterruptToken?
    ) throws -> StoreConnection {
        if let reused {
            do {
                reused.serve(token, watch: watch)
                try reused.pin()
                return reused
            } catch let error as CoreDataError {
                throw error
            } catch {
                if let failure = token?.failure { throw failure }
                // The connection is dropped, because the error may be caused by the connection itself.
            }
        }
        let connection = counted(try makeReader())
        connection.serve(token, watch: watch)
        try connection.pin()
        return connection
    }

    func giveBack(_ connection: StoreConnection) {
        connection.stopServing()
        if kind == .single {
            let isPinned = condition.withLock {
                connection.views -= 1
                // A write has replaced the read transaction with its own transaction.
                return connection.views == 0 && write == nil
            }
            if isPinned { connection.unpin() }
            releaseSingle()
            return
        }
        connection.unpin()
        condition.withLock {
            open.remove(connection.view)
            if shutReason == nil, idle.count < idleLimit { idle.append(connection) }
        }
    }

    /// Notes that the single connection is now used by the calling thread.
    func touch() {
        if kind == .single { hub.assignTurn() }
    }

    /// Takes the turn, and with it the connection for writing (or the only connection), after waiting for the current
    /// holder. This starts a use of the connection, which the caller must end.
    ///
    /// - Parameters:
    ///   - token: Ends the wait.
    ///   - limit: The time at which to give up, or nil for the timeout.
    func takeSingle(_ token: InterruptToken?, until limit: ContinuousClock.Instant? = nil) throws -> StoreConnection {
        if let reason { throw reason }
        try hub.takeTurn(until: limit ?? end(token), token)
        condition.lock()
        defer { condition.unlock() }
        guard shutReason == nil, let writer else {
            hub.releaseTurn()
            throw shutReason ?? CoreDataError.storeIsClosed
        }
        held += 1
        writer.uses.begin()
        return writer
    }

    /// Releases the turn that ``takeSingle(_:until:)`` took.
    func releaseSingle() {
        condition.withLock { held -= 1 }
        hub.releaseTurn()
    }
}
