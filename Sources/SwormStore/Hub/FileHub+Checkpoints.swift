import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

// Periods in which no call in this process reads or writes a file.
extension FileHub {
    /// Runs a closure with the turn, while no call reads the file. New readers wait at a gate from now on. Calls that
    /// already hold a slot, and a running write, end undisturbed.
    ///
    /// - Parameters:
    ///   - end: The time at which to give up.
    ///   - token: Ends the wait too.
    /// - Returns: The result, or nil if the readers did not end in time.
    func withoutReaders<R>(
        until end: ContinuousClock.Instant, token: InterruptToken? = nil, _ body: () throws -> R
    ) throws -> R? {
        guard let haveEnded = waitForReaders(until: end, token) else { return nil }
        defer { openGate() }
        guard haveEnded else {
            if let failure = token?.failure { throw failure }
            return nil
        }
        try takeTurn(until: end, token, isFirst: true)
        defer { releaseTurn() }
        return try body()
    }

    /// Returns the action to perform on the log after a commit.
    func committed(frames: Int) -> LogPolicy.Action {
        let now = ContinuousClock.now
        return log.withLock { $0.committed(frames: frames, now: now) }
    }

    func restarted(_ succeeded: Bool) {
        let now = ContinuousClock.now
        log.withLock { $0.restarted(succeeded, now: now) }
    }
}
