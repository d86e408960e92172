import Foundation
package import SwormSQLite

// The state of the store's files, for their owner.
extension SQLiteStore {
    /// Moves pages of the write-ahead log into the file.
    ///
    /// - Parameters:
    ///   - mode: How much is moved, and what is waited for.
    ///   - token: Ends the waiting.
    /// - Returns: The frames of the log, and those of them that are in the file now; zero where there is no log.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` where somebody else reads or writes for too long,
    ///   `wouldDeadlock` where that is the calling thread, and `readOnly`.
    package func checkpoint(
        _ mode: Connection.CheckpointMode, _ token: InterruptToken? = nil
    ) throws -> (log: Int, checkpointed: Int) {
        let open = try writableFiles().0
        return try translating("move the log of", token) { try open.pool.checkpoint(mode, token) }
    }

    /// Closes all connections until ``resume()``, so that the process holds no lock on the file by this store.
    ///
    /// - Parameters:
    ///   - grace: How long work that is running may go on. Then it is stopped, and undone.
    ///   - end: When to give up.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` where somebody holds rows; nothing new begins then.
    package func suspend(grace: Duration, until end: ContinuousClock.Instant) throws {
        try openFiles?.pool.suspend(grace: grace, until: end)
    }

    /// Opens the connections again.
    ///
    /// - Throws: ``CoreDataError`` where the file cannot be opened any more, or is another one.
    package func resume() throws { try translating("resume") { try openFiles?.pool.resume() } }

    /// Calls a closure with what a user of the store should know and no call throws.
    ///
    /// - Returns: Ends it, when it is called.
    package func addWarningListener(_ listener: @escaping @Sendable (CoreDataError) -> Void) -> @Sendable () -> Void {
        let warnings = warnings
        let number = warnings.add(listener)
        return { warnings.remove(number) }
    }
}
