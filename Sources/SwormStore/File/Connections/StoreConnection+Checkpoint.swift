import Foundation
import SwormSQLite
import SwormRows

extension StoreConnection {
    /// Makes a checkpoint, and waits for a time while other processes read, write, or make one.
    ///
    /// SQLite waits for readers and writers, but not for a checkpoint. A plain connection makes one at each commit as long as the
    /// log is long. While SQLite waits for readers it has the write lock, so it waits in slices, and other processes can write in between.
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
