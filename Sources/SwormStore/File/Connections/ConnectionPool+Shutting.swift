import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

// How the connections of a store are closed, for ever or for a while.
//
// A pool is open, suspended or closed; `shutReason` says which. From the moment it is set no use begins. Whoever has set it waits until
// nobody uses a connection, and lets go of them then. Suspending, resuming and closing follow each other, by `turning`.
extension ConnectionPool {
    /// Gives out no connection any more, and lets those end that are in use: another pool reads the file now.
    func retire() {
        shut(.storeIsClosed)
        closeConnections()
    }

    /// Gives out no connection any more, ends the views, waits for uses and writes that run, and closes all connections.
    ///
    /// - Parameter end: When to give up; nil for never.
    /// - Throws: ``CoreDataError`` with the condition `timedOut`, or `wouldDeadlock` where the calling thread would wait for itself.
    ///   Nothing new begins then, and it can be called again.
    func close(until end: ContinuousClock.Instant?) throws {
        try turning("closed", until: end) {
            shut(.storeIsClosed)
            try letGo("closed", until: end)
        }
    }

    /// Gives out no connection until ``resume(checking:)``, and closes all of them, so that the process holds no lock on the file.
    ///
    /// - Parameters:
    ///   - stop: When the work of calls that run is stopped, and undone.
    ///   - end: When to give up.
    /// - Throws: The errors of ``close(until:)``. Locks may be held then.
    func suspend(stoppingAt stop: ContinuousClock.Instant, until end: ContinuousClock.Instant) throws {
        try turning("suspended", until: end) {
            while reason == nil, isWorking, ContinuousClock.now < min(stop, end) { Self.pause() }
            shut(.storeIsSuspended)
            try letGo("suspended", until: end, stopping: true)
        }
    }

    /// Gives out connections again, to the same file.
    ///
    /// - Parameter check: Throws where the file is not fit to be used any more.
    /// - Throws: An error where the file cannot be opened any more, or is another one. The pool stays as it is.
    func resume(checking check: () throws -> Void) throws {
        try turning("resumed", until: nil) {
            guard reason?.condition == .suspended else { return }
            if let file {
                // A store that is only read is opened anew where its file was replaced.
                if makeWriter != nil { try file.check() }
                try check()
            }
            let fresh = try file == nil ? nil : makeWriter.map { counted(try $0()) }
            let stopped = condition.withLock {
                if let fresh { writer = fresh }
                defer { (shutReason, self.stopped) = (nil, []) }
                return self.stopped
            }
            for token in stopped { token.clear(.suspended) }
        }
    }

    /// Why no connection is given out; nil while the pool is open.
    var reason: CoreDataError? { condition.withLock { shutReason } }

    // MARK: Parts

    /// Runs a closure while no other thread closes the pool, or opens it again.
    private func turning(_ action: String, until end: ContinuousClock.Instant?, _ body: () throws -> Void) throws {
        guard turning.lock(until: end) else {
            throw CoreDataError.isHeld(action, by: "another thread is closing, suspending or resuming it")
        }
        defer { turning.unlock() }
        try body()
    }

    private func shut(_ reason: CoreDataError) {
        condition.withLock {
            if shutReason?.condition != .storeClosed { shutReason = reason }
        }
    }

    /// Waits until nobody uses a connection, and closes all of them.
    ///
    /// - Parameter isStopping: Whether what runs is stopped, and undone. If not, only views end that are not in use.
    private func letGo(
        _ action: String, until end: ContinuousClock.Instant?, stopping isStopping: Bool = false
    ) throws {
        while let reason {
            let revoked = leases.all.filter { isStopping || !$0.isWriting }
            // All of them before the first one ends: several may have the same connection, which nobody else uses from then on.
            for lease in revoked { lease.revoke(reason) }
            if isStopping { stopUses(revoked) }
            for lease in revoked { lease.endIfFree() }
            if isUnused {
                // A store in memory lives in its connection, and has no locks that others could see.
                if file == nil, isStopping { return }
                closeConnections()
                // Whoever used a connection last may still be about to let go of it.
                if alive.withLock({ $0 }) == 0 { return }
            }
            if isHeldByCaller { throw CoreDataError.isHeldByCaller(action) }
            if let end, ContinuousClock.now >= end { throw CoreDataError.isHeld(action, by: obstacle) }
            Self.pause()
        }
    }

    /// Stops all who use a connection, or wait for a lock of the file.
    private func stopUses(_ leases: [ConnectionLease]) {
        let (views, running, connection, mover) = condition.withLock { (open.tokens, write, writer, self.mover) }
        var tokens = leases.map(\.token) + views
        for token in [running, connection?.servedToken] { if let token { tokens.append(token) } }
        for token in tokens where token.interrupt(.suspended) {
            condition.withLock { stopped.append(token) }
        }
        // Some of SQLite's longer steps look at nothing but its own mark.
        for lease in leases { lease.interrupt() }
        connection?.base.interruptHandle.interrupt()
        mover?.base.interruptHandle.interrupt()
    }

    private var isUnused: Bool {
        condition.withLock { write == nil && held == 0 && open.count == 0 } && leases.isEmpty
    }

    /// Whether a call works with the store. A snapshot that is pinned outside of any call does not count.
    private var isWorking: Bool {
        condition.withLock { write != nil } || leases.all.contains { $0.isAdmitted || $0.isUsed }
    }

    // MARK: Obstacles

    /// Whether the calling thread would wait for itself.
    private var isHeldByCaller: Bool {
        let thread = ThreadHoldings.thread
        if leases.all.contains(where: { $0.usingThread == thread }) { return true }
        return condition.withLock { write != nil } && hub.holder == thread
    }

    /// The use that is in the way, for messages.
    private var obstacle: String {
        func owner(_ token: InterruptToken) -> String {
            token.name.map { "the context “\($0)”" } ?? "a context without a name"
        }
        if let lease = leases.all.first(where: \.isUsed) {
            return "a closure that reads or writes rows one by one has not let go of them, in \(owner(lease.token))"
        }
        if let write = condition.withLock({ write }) { return "a write of \(owner(write)) has not ended" }
        return "a read that has begun has not ended"
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

extension NSLock {
    /// Takes the lock, unless a moment comes first; nil for never.
    fileprivate func lock(until end: ContinuousClock.Instant?) -> Bool {
        if let end { return self.lock(before: Date(timeIntervalSinceNow: min(end.secondsLeft, 1e8))) }
        self.lock()
        return true
    }
}

extension CoreDataError {
    fileprivate static func isHeld(_ action: String, by obstacle: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "The store could not be \(action) in time: \(obstacle). Nothing new begins; try again.",
            condition: .timedOut)
    }

    fileprivate static func isHeldByCaller(_ action: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreCoordinatorLockingError,
            "The store cannot be \(action) by a thread that is reading or writing it: it would wait for itself. Do so afterwards.",
            condition: .wouldDeadlock)
    }
}
