#if PostgreSQL
import Foundation
import SwormPostgres
import SwormRows

// A suspended store has no connection to its server, and rejects all work.
extension PostgresStore {
    /// Closes all connections until ``resume()`` is called. Work that is still running at the time `stop` is stopped and rolled
    /// back, and views lose their state.
    ///
    /// - Parameters:
    ///   - stop: The time at which running work is stopped.
    ///   - end: The time at which to give up.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` if a connection is still in use, or `wouldDeadlock` if the
    ///   calling thread uses it. No new work can start in either case.
    package func suspend(stoppingAt stop: ContinuousClock.Instant, until end: ContinuousClock.Instant) throws {
        try turning("suspended", until: end) {
            while shutReason == nil, isWorking, ContinuousClock.now < min(stop, end) { usleep(Self.lookPause) }
            // The notification of the last commits still needs a connection.
            if shutReason == nil { bell.finish(until: end) }
            for lease in shut(.storeIsSuspended) {
                lease.revoke(.storeIsSuspended)
                lease.stop()
            }
            pauseWatching(until: end)
            upkeep.end(until: end)
            try translating("suspend") { try pool.close(within: max(.zero, end - .now)) }
        }
    }

    /// Accepts work again.
    ///
    /// - Throws: ``CoreDataError`` if the server cannot be reached, or the schema contains another store. The store stays
    ///   suspended then.
    package func resume() throws {
        try turning("resumed", until: nil) {
            guard shutReason?.condition == .suspended else { return }
            pool.reopen()
            let record: ServerRecord
            do {
                record = try translating("resume") { try presentRecord() }
            } catch {
                try? pool.close(within: .zero)
                throw error
            }
            unshut()
            upkeep.resume()
            // Indexes of the store's own tables that are missing are left to the next opening.
            doPendingWork(of: record.migration, hasOwnIndexes: true)
            resumeWatching()
        }
    }

    /// Reads the row of the store, which may have been replaced while nobody looked.
    private func presentRecord() throws -> ServerRecord {
        let end = ContinuousClock.now.advanced(by: .seconds(min(options.busyTimeout, StoreOptions.longestTimeout)))
        let record = try pool.withConnection(for: "resume", until: end) { connection in
            try connection.transaction(TransactionOptions(.readCommitted, isReadOnly: true)) {
                try ServerRecord(connection, schema: serverOptions.schema, place: place)
            }
        }
        guard record.home.identifier.caseInsensitiveCompare(identifier) == .orderedSame else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "The schema of '\(place)' no longer contains the store that was opened: its identifier is \(record.home.identifier), and was \(identifier). Close the store, and open it again."
            )
        }
        return record
    }

    /// The time in microseconds between two looks at the running work.
    private static var lookPause: UInt32 { 500 }

    /// Runs a closure while no other thread suspends, resumes or closes the store.
    func turning(_ action: String, until end: ContinuousClock.Instant?, _ body: () throws -> Void) throws {
        if let end {
            guard turn.lock(before: Date(timeIntervalSinceNow: min(max(0, (end - .now) / .seconds(1)), 1e8))) else {
                throw CoreDataError(
                    NSPersistentStoreTimeoutError,
                    "The store could not be \(action) in time: another thread is closing, suspending or resuming it. New calls are not accepted. Try again.",
                    condition: .timedOut)
            }
        } else {
            turn.lock()
        }
        defer { turn.unlock() }
        try body()
    }
}
#endif
