import Foundation
import SwormSQLite

// How the connections of a store are closed, for ever or for a while.
extension ConnectionPool {
    /// Gives out no connection any more, and lets those end that are in use: another pool reads the file now.
    func retire() {
        shut(.storeIsClosed)
        closeConnections()
    }

    /// Gives out no connection any more, waits for a write that is running, and closes all connections: those of views that
    /// are open after the use that is running.
    func close() {
        shut(.storeIsClosed)
        condition.lock()
        while kind == .writerAndReaders, writes > 0 { condition.wait() }
        condition.unlock()
        // A use that is running may be one of this very thread, which must not wait for itself for long.
        let end = ContinuousClock.now + .seconds(1)
        repeat {
            for lease in leases.all { lease.revoke(.storeIsClosed) }
            closeConnections()
            guard alive.withLock({ $0 }) > 0 else { return }
            Self.pause()
        } while ContinuousClock.now < end
    }

    /// Gives out no connection until ``resume()``, and closes all of them, so that the process holds no lock on the file.
    ///
    /// - Parameters:
    ///   - grace: How long work that is running may go on. Then it is stopped, and undone.
    ///   - end: When to give up.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` where a closure that reads rows does not let go of them. Locks may
    ///   be held then; nothing new begins.
    func suspend(grace: Duration, until end: ContinuousClock.Instant) throws {
        shut(.storeIsSuspended)
        let stop = min(end, .now + grace)
        while !isUnused, ContinuousClock.now < stop { Self.pause() }
        while !isUnused {
            guard ContinuousClock.now < end else { throw CoreDataError.rowsAreHeld }
            for lease in leases.all {
                lease.revoke(.storeIsSuspended)
                if let token = lease.token, token.interrupt(.suspended) { condition.withLock { stopped.append(token) } }
                lease.interrupt()
            }
            condition.withLock { writer?.base.interruptHandle.interrupt() }
            Self.pause()
        }
        // A store in memory lives in its connection, and has no locks that others could see.
        guard file != nil else { return }
        closeConnections()
        // Whoever used a connection last may still be about to let go of it.
        while alive.withLock({ $0 }) > 0 {
            guard ContinuousClock.now < end else { throw CoreDataError.rowsAreHeld }
            Self.pause()
        }
    }

    /// Gives out connections again, to the same file.
    ///
    /// - Throws: An error where the file cannot be opened any more, or is another one. The pool stays as it is.
    func resume() throws {
        guard condition.withLock({ shutReason?.condition == .suspended }) else { return }
        if let file, let makeWriter {
            try file.check()
            let fresh = try makeWriter()
            condition.withLock { writer = counted(fresh) }
        }
        let stopped = condition.withLock {
            defer { (shutReason, self.stopped) = (nil, []) }
            return self.stopped
        }
        for token in stopped { token.clear(.suspended) }
    }

    private func shut(_ reason: CoreDataError) {
        condition.withLock {
            if shutReason?.condition != .storeClosed { shutReason = reason }
        }
    }

    /// Why no connection is given out; nil while the pool is open.
    var reason: CoreDataError? { condition.withLock { shutReason } }

    private var isUnused: Bool {
        condition.withLock { writes == 0 && held == 0 && open.count == 0 } && leases.isEmpty
    }

    private func closeConnections() {
        let connections = condition.withLock { () -> [StoreConnection] in
            defer { (idle, writer) = ([], nil) }
            return idle + [writer].compactMap { $0 }
        }
        // The last of them moves the log into the file, outside of the lock.
        withExtendedLifetime(connections) {}
    }

    private static func pause() { usleep(500) }
}

extension CoreDataError {
    fileprivate static var rowsAreHeld: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "The store could not be suspended in time: a closure that reads rows one by one has not let go of them. Nothing new begins; try again.",
            condition: .timedOut)
    }
}
