import Foundation
import SwormSQLite
import SwormRows

// Connections that see one state of the file.
extension ConnectionPool {
    /// A connection that sees one state of the file until it is given back.
    ///
    /// - Parameters:
    ///   - watch: Gets the statements that it runs.
    ///   - token: Stops them, and the wait for a single connection.
    func takeReader(_ watch: StatementWatch? = nil, _ token: InterruptToken? = nil) throws -> StoreConnection {
        if kind == .single {
            let now = Moment.now
            if condition.withLock({ isFileCheckDue(now) }) { try checkFile() }
            let connection = try takeSingle(token)
            defer { connection.uses.end() }
            connection.serve(token, watch)
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
            let connection = try pinned(reusing: reused, watch, token)
            connection.view = view.number
            return connection
        } catch {
            condition.withLock { open.remove(view.number) }
            throw error
        }
    }

    /// A connection that reads a snapshot: the given one, or a new one.
    private func pinned(
        reusing reused: StoreConnection?, _ watch: StatementWatch?, _ token: InterruptToken?
    ) throws -> StoreConnection {
        if let reused {
            do {
                reused.serve(token, watch)
                try reused.pin()
                return reused
            } catch let error as CoreDataError {
                throw error
            } catch {
                if let failure = token?.failure { throw failure }
                // The connection is dropped: what ails it may be its own.
            }
        }
        let connection = counted(try makeReader())
        connection.serve(token, watch)
        try connection.pin()
        return connection
    }

    func giveBack(_ connection: StoreConnection) {
        connection.serveNobody()
        if kind == .single {
            let isPinned = condition.withLock {
                connection.views -= 1
                // A write has replaced the read transaction by its own.
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

    /// Says that the single connection is now used by this thread.
    func touch() {
        if kind == .single { hub.assignTurn() }
    }

    /// Takes the turn, and with it the writing (or only) connection, waiting for whoever has it. That is a use of it, which the
    /// caller ends.
    ///
    /// - Parameters:
    ///   - token: Ends the wait.
    ///   - limit: When to give up; nil for the timeout.
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

    /// Gives back the turn that ``takeSingle(_:until:)`` took.
    func releaseSingle() {
        condition.withLock { held -= 1 }
        hub.releaseTurn()
    }
}
