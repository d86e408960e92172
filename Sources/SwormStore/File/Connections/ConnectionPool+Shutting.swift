import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

// Closing the connections of a store, permanently or temporarily.
//
// A pool is open, suspended or closed; `shutReason` has the reason. Once it is set, no new use starts. The thread that
// has set it waits until no connection is in use, and closes the connections then. The lock `turning` ensures that
// suspending, resuming and closing happen one after the other.
extension ConnectionPool {
    /// Provides no more connections, and lets running uses end. Called when another pool reads the file from now on.
    func retire() {
        shut(.storeIsClosed)
        closeConnections()
    }

    /// Provides no more connections, ends the views, waits for running uses and writes, and closes all connections.
    ///
    /// - Parameter end: The time at which to give up, or nil to wait without a limit.
    /// - Throws: ``CoreDataError`` with the condition `timedOut`, or `wouldDeadlock` if the calling thread would wait
    ///   for itself. No new use can start after that, and the method can be called again.
    func close(until end: ContinuousClock.Instant?) throws {
        try turning("closed", until: end) {
            shut(.storeIsClosed)
            try letGo("closed", until: end)
        }
    }

    /// Provides no connections until ``resume(checking:)`` is called, and closes all of them, so that the process holds
    /// no lock on the file.
    ///
    /// - Parameters:
    ///   - stop: The time at which running calls are stopped and their work is rolled back.
    ///   - end: The time at which to give up.
    /// - Throws: The same errors as ``close(until:)``. The process may still hold locks in that case.
    func suspend(stoppingAt stop: ContinuousClock.Instant, until end: ContinuousClock.Instant) throws {
        try turning("suspended", until: end) {
            while reason == nil, isWorking, ContinuousClock.now < min(stop, end) { Self.pause() }
            shut(.storeIsSuspended)
            try letGo("suspended", until: end, stopping: true)
        }
    }

    /// Provides connections to the same file again.
    ///
    /// - Parameter check: Throws an error if the file can no longer be used.
    /// - Throws: An error if the file can no longer be opened, or is another file. The state of the pool does not
    ///   change then.
    func resume(checking check: () throws -> Void) throws {
        try turning("resumed", until: nil) {
            guard reason?.condition == .suspended else { return }
            if let file {
                // A read-only store is reopened if its file was replaced.
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

    /// The reason why no connections are provided, or nil while the pool is open.
    var reason: CoreDataError? { condition.withLock { shutReason } }

    /// The reason why no connections were provided the last time, also after the pool was resumed.
    var lastReason: CoreDataError? { condition.withLock { lastShutReason } }

    // MARK: Parts

    /// Runs a closure while no other thread closes, suspends or resumes the pool.
    private func turning(_ action: String, until end: ContinuousClock.Instant?, _ body: () throws -> Void) throws {
        guard turning.lock(until: end) else {
            throw CoreDataError.isHeld(action, by: "another thread is closing, suspending or resuming it")
        }
        defer { turning.unlock() }
        try body()
    }

    private func shut(_ reason: CoreDataError) {
        condition.withLock {
            if shutReason?.condition != .storeClosed { (shutReason, lastShutReason) = (reason, reason) }
        }
    }

    /// Waits until no connection is in use, and closes all of them.
    ///
    /// - Parameter isStopping: Whether running work is stopped and rolled back. Otherwise only views that are not in
    ///   use are ended.
    private func letGo(
        _ action: String, until end: ContinuousClock.Instant?, stopping isStopping: Bool = false
    ) throws {
        while let reason {
            let revoked = leases.all.filter { isStopping || !$0.isWriting }
            // All leases are revoked before the first one ends, because several leases may share a connection, which
            // must not be used by another thread from then on.
            for lease in revoked { lease.revoke(reason) }
            if isStopping { stopUses(revoked) }
            for lease in revoked { lease.endIfFree() }
            if isUnused {
                // A store in memory exists only as long as its connection, and holds no locks that other processes
                // could notice.
                if file == nil, isStopping { return }
                closeConnections()
                // The thread that used a connection last may not have released it yet.
                if alive.withLock({ $0 }) == 0 { return }
            }
            if isHeldByCaller { throw CoreDataError.isHeldByCaller(action) }
            if let end, ContinuousClock.now >= end { throw CoreDataError.isHeld(action, by: obstacle) }
            Self.pause()
        }
    }

    /// Stops all users of a connection, and all threads that wait for a lock of the file.
    private func stopUses(_ leases: [ConnectionLease]) {
        let (views, running, connection, mover) = condition.withLock { (open.tokens, write, writer, self.mover) }
        var tokens = leases.map(\.token) + views
        for token in [running, connection?.servedToken] { if let token { tokens.append(token) } }
        for token in tokens where token.interrupt(.suspended) {
            condition.withLock { stopped.append(token) }
        }
        // Some of SQLite's longer steps check only its own interrupt flag.
        for lease in leases { lease.interrupt() }
        connection?.base.interruptHandle.interrupt()
        mover?.base.interruptHandle.interrupt()
    }

    private var isUnused: Bool {
        condition.withLock { write == nil && held == 0 && open.count == 0 } && leases.isEmpty
    }

    /// Whether a call is using the store. A snapshot that is pinned outside of any call does not count.
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

    /// A description of the use that prevents the closing, for error messages.
    private var obstacle: String {
        func owner(_ token: InterruptToken) -> String {
            token.name.map { "the context '\($0)'" } ?? "a context without a name"
        }
        if let lease = leases.all.first(where: \.isUsed) {
            return "a closure that reads or writes rows one by one has not returned, in \(owner(lease.token))"
        }
        if let write = condition.withLock({ write }) { return "a write of \(owner(write)) has not finished" }
        return "a read has not finished"
    }

    private func closeConnections() {
        let (connections, source) = condition.withLock { () -> ([StoreConnection], ForeignStateSource?) in
            defer { (idle, writer, foreignSource) = ([], nil, nil) }
            return (idle + [writer].compactMap { $0 }, foreignSource?.source)
        }
        // Closing the last connection moves the log into the file, so this happens outside of the lock.
        withExtendedLifetime((connections, source)) {}
    }

    private static func pause() { usleep(500) }
}

extension NSLock {
    /// Acquires the lock before the given time, or without a limit if it is nil.
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
            "The store could not be \(action) in time: \(obstacle). New calls are not accepted. Try again.",
            condition: .timedOut)
    }

    fileprivate static func isHeldByCaller(_ action: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreCoordinatorLockingError,
            "The store cannot be \(action) by a thread that is reading or writing it: the thread would wait for itself. Do so after the call.",
            condition: .wouldDeadlock)
    }
}
