import Foundation
import SwormSQLite
import SwormRows

extension StoreConnection {
    /// Runs a checkpoint, and waits up to the given time while other processes read, write, or run a checkpoint.
    ///
    /// SQLite waits for readers and writers, but not for another checkpoint. A plain connection runs a checkpoint at
    /// each commit as long as the log is long. SQLite holds the write lock while it waits for readers, so this method
    /// waits in time slices, between which other processes can write.
    @discardableResult
    func checkpoint(
        _ mode: Connection.CheckpointMode, within seconds: Double
    ) throws -> (log: Int, checkpointed: Int) {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            do {
                return try base.waiting(atMost: max(0, min(end.secondsLeft, 0.1))) { try base.checkpoint(mode) }
            } catch let error as SQLiteError where error.code == SQLiteError.busy && end.secondsLeft > 0 {
                if let failure = servedToken?.failure { throw failure }
                usleep(3000)
            }
        }
    }
}
