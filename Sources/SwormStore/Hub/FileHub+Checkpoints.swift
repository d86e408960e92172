import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

// Moments in which nobody in this process reads or writes a file.
extension FileHub {
    /// Runs a closure while no call reads the file, and with the turn. New readers wait at a gate from now on; calls that hold a
    /// slot already end undisturbed, as does a write that is running.
    ///
    /// - Parameters:
    ///   - end: When to give up waiting.
    ///   - token: Ends the waiting too.
    /// - Returns: The result; nil where the readers did not end in time.
    func withoutReaders<R>(
        until end: ContinuousClock.Instant, _ token: InterruptToken? = nil, _ body: () throws -> R
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

    /// What to do about the log after a commit.
    func committed(frames: Int) -> LogPolicy.Action {
        let now = ContinuousClock.now
        return log.withLock { $0.committed(frames: frames, now: now) }
    }

    func restarted(_ succeeded: Bool) {
        let now = ContinuousClock.now
        log.withLock { $0.restarted(succeeded, now: now) }
    }
}
