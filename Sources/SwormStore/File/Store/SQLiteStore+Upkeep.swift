import Foundation
package import SwormSQLite
package import SwormRows

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
        _ mode: Connection.CheckpointMode, token: InterruptToken? = nil
    ) throws -> (log: Int, checkpointed: Int) {
        let open = try writableFiles().0
        return try translating("checkpoint", token: token) { try open.pool.checkpoint(mode, token: token) }
    }

    /// Closes all connections until ``resume()``, so that the process holds no lock on the file by this store.
    ///
    /// - Parameters:
    ///   - stop: When work that is running is stopped, and undone.
    ///   - end: When to give up.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` where somebody holds rows, and `wouldDeadlock` where the calling
    ///   thread does; nothing new begins then.
    package func suspend(stoppingAt stop: ContinuousClock.Instant, until end: ContinuousClock.Instant) throws {
        // A store that is only read may be opened anew at this very moment.
        var open: OpenStore?
        repeat {
            open = openFiles
            try open?.pool.suspend(stoppingAt: stop, until: end)
        } while openFiles !== open
    }

    /// Opens the connections again.
    ///
    /// - Throws: ``CoreDataError`` where the file cannot be opened any more, or holds another store, or one of another model.
    package func resume() throws {
        try translating("resume") { try openFiles?.pool.resume(checking: checkContent) }
    }

    /// Throws where the file holds something else than was opened. While no connection was open, its number may have been given to
    /// another file.
    private func checkContent() throws {
        guard let files else { return }
        let (inspection, _, _) = try Self.inspect(files, largestCopy: options.largestInspectionCopy, options: options)
        try requireIdentifier(inspection.metadata, path: files.main)
        try inspection.check(against: model, path: files.main)
    }

    /// Throws where metadata are those of another store.
    func requireIdentifier(_ metadata: StoreMetadata, path: String) throws {
        guard metadata.identifier.caseInsensitiveCompare(identifier) != .orderedSame else { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "The file '\(path)' is no longer the store that was opened: its identifier is \(metadata.identifier), and was \(identifier). Close the store, and open it again."
        )
    }

    /// Calls a closure with what a user of the store should know and no call throws.
    ///
    /// - Returns: Ends it, when it is called.
    package func addWarningListener(_ listener: @escaping @Sendable (CoreDataError) -> Void) -> @Sendable () -> Void {
        let warnings = warnings
        let number = warnings.add(listener)
        return { warnings.remove(number) }
    }
}
