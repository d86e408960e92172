import Foundation
import SwormSQLite

// How the connections of a store are closed, for ever or for a while.
extension ConnectionPool {
    /// Gives out no connection any more, waits for a write that is running, and closes all connections: those of views that
    /// are open after the use that is running.
    func close() {
        shut(.storeIsClosed)
        for lease in leases.all { lease.revoke(.storeIsClosed) }
        condition.lock()
        while kind == .writerAndReaders, writes > 0 { condition.wait() }
        condition.unlock()
        closeConnections()
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
                lease.interrupt()
            }
            condition.withLock { writer?.base.interruptHandle.interrupt() }
            Self.pause()
        }
        // A store in memory lives in its connection, and has no locks that others could see.
        if file != nil { closeConnections() }
    }

    /// Gives out connections again, to the same file.
    ///
    /// - Throws: An error where the file cannot be opened any more, or is another one. The pool stays as it is.
    func resume() throws {
        guard condition.withLock({ shutReason?.condition == .suspended }) else { return }
        if let file, let makeWriter {
            try file.check()
            let fresh = try makeWriter()
            condition.withLock { writer = fresh }
        }
        condition.withLock { shutReason = nil }
    }

    private func shut(_ reason: CoreDataError) {
        condition.withLock {
            if shutReason?.condition != .storeClosed { shutReason = reason }
        }
    }

    private var isUnused: Bool { condition.withLock { writes == 0 && open.count == 0 } && leases.isEmpty }

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
