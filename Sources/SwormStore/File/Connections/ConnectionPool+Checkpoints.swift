import Foundation
import SwormSQLite
import SwormRows

// Checkpoints that a user requests.
extension ConnectionPool {
    /// Moves the pages of the log into the file.
    ///
    /// - Parameters:
    ///   - mode: `passive` moves the pages that can be moved while other connections read and write; `full` moves all
    ///     pages; `restart` also makes the log restart from its beginning; `truncate` also truncates the log file to
    ///     zero bytes.
    ///   - token: Ends the wait.
    /// - Returns: The number of frames in the log, and the number of those that are now in the file. Both are zero if
    ///   there is no log.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` if other connections read or write for too long, or
    ///   `wouldDeadlock` if the calling thread itself reads or writes.
    func checkpoint(
        _ mode: Connection.CheckpointMode, token: InterruptToken? = nil
    ) throws -> (log: Int, checkpointed: Int) {
        guard kind == .writerAndReaders else { return (0, 0) }
        guard mode != .passive else {
            let end = end(token)
            return try withWriter(watch: nil, token: token) { connection in
                let result = try hub.checkpoints.run(until: end) { try connection.base.checkpoint(.passive) }
                guard let result else { throw CoreDataError.logIsMoved }
                return result
            }
        }
        guard !ThreadHoldings.isHolding else { throw CoreDataError.checkpointInside }
        let end = end(token)
        // The checkpoint is attempted in time slices, so that a long-lived snapshot does not block all other readers
        // and writers for as long.
        repeat {
            let slice = min(end, .now + Self.gateTime)
            if let result = try checkpointSlice(mode, token: token, until: slice) {
                if mode != .full { logRestarted?() }
                return result
            }
            if let failure = token?.failure { throw failure }
            usleep(UInt32(min(end.secondsLeft, 0.1) * 1e6))
        } while ContinuousClock.now < end
        throw CoreDataError.logIsRead
    }

    /// - Returns: Nil if another connection was reading or writing the whole time.
    private func checkpointSlice(
        _ mode: Connection.CheckpointMode, token: InterruptToken?, until end: ContinuousClock.Instant
    ) throws -> (log: Int, checkpointed: Int)? {
        do {
            return try hub.withoutReaders(until: end, token: token) {
                try withWriter(watch: nil, token: token) { connection in
                    try hub.checkpoints.run(until: end) {
                        try connection.checkpoint(mode, within: end.secondsLeft)
                    }
                }
            } ?? nil
        } catch let error as SQLiteError where error.code == SQLiteError.busy {
            return nil
        } catch let error as CoreDataError where error.condition == .timedOut && token?.failure == nil {
            return nil
        }
    }
}

extension CoreDataError {
    fileprivate static var checkpointInside: CoreDataError {
        CoreDataError(
            NSPersistentStoreCoordinatorLockingError,
            "A checkpoint that waits for readers cannot run inside a call that reads: it would wait for itself. Run it after the call, or use a passive checkpoint.",
            condition: .wouldDeadlock)
    }

    fileprivate static var logIsMoved: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError, "Another checkpoint of the store did not finish in time. Try again.",
            condition: .timedOut)
    }

    fileprivate static var logIsRead: CoreDataError {
        CoreDataError(
            NSPersistentStoreTimeoutError,
            "The checkpoint timed out while waiting for calls that read the store. Use a passive checkpoint, or allow more time.",
            condition: .timedOut)
    }
}
