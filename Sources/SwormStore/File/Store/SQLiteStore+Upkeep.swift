import Foundation
package import SwormSQLite
package import SwormRows

// Maintenance of the store's files.
extension SQLiteStore {
    /// Moves pages of the write-ahead log into the file.
    ///
    /// - Parameters:
    ///   - mode: The part of the log to move, and the connections to wait for.
    ///   - token: Ends the wait.
    /// - Returns: The number of frames in the log, and the number of those that are now in the file. Both are zero if
    ///   there is no log.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` if other connections read or write for too long,
    ///   `wouldDeadlock` if the calling thread itself reads or writes, or `readOnly`.
    package func checkpoint(
        _ mode: Connection.CheckpointMode, token: InterruptToken? = nil
    ) throws -> (log: Int, checkpointed: Int) {
        let open = try writableFiles().0
        return try translating("checkpoint", token: token) { try open.pool.checkpoint(mode, token: token) }
    }

    /// Does the work that the options request for a store that is opened.
    ///
    /// If another connection uses the file, or the disk is full, nothing is done: the work only saves space and time, and
    /// can be done when the store is opened next.
    func maintain() throws {
        let statements = (options.vacuumsFile ? ["VACUUM"] : []) + (options.analyzesFile ? ["ANALYZE"] : [])
        guard !statements.isEmpty else { return }
        let (open, watch) = try writableFiles()
        try CoreDataError.translating(while: "open", path: files?.main) {
            do {
                try open.pool.withWriter(watch: watch) { connection in
                    for statement in statements { try connection.base.execute(statement) }
                }
            } catch let error as SQLiteError where error.isBusy || error.code == SQLiteError.full {
                return
            } catch let error as CoreDataError where error.condition == .timedOut {
                return
            }
        }
    }

    /// Closes all connections until ``resume()`` is called, so that this store holds no lock on the file.
    ///
    /// - Parameters:
    ///   - stop: The time at which running work is stopped and rolled back.
    ///   - end: The time at which to give up.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` if a connection is still in use, or `wouldDeadlock` if
    ///   the calling thread uses it. No new work can start in either case.
    package func suspend(stoppingAt stop: ContinuousClock.Instant, until end: ContinuousClock.Instant) throws {
        // Another thread may be reopening a read-only store at this moment.
        var open: OpenStore?
        repeat {
            open = openFiles
            try open?.pool.suspend(stoppingAt: stop, until: end)
        } while openFiles !== open
    }

    /// Opens the connections again.
    ///
    /// - Throws: ``CoreDataError`` if the file can no longer be opened, or contains another store or a store of another
    ///   model.
    package func resume() throws {
        try translating("resume") {
            guard let open = openFiles else { return }
            try open.pool.resume { try checkContent(of: open) }
        }
    }

    /// Throws an error if the file does not contain the store that was opened. While no connection was open, the file
    /// system may have assigned the file's number to another file, and Core Data may have begun to mirror the store.
    private func checkContent(of open: OpenStore) throws {
        guard let files else { return }
        let (inspection, _, _) = try Self.inspect(files, largestCopy: options.largestInspectionCopy, options: options)
        try requireIdentifier(inspection.metadata, path: files.main)
        try inspection.check(against: model, path: files.main, ignoresVersion: options.ignoresVersion)
        open.history.renew(isMirrored: inspection.mirroringTable != nil)
    }

    /// Throws an error if the metadata belong to another store.
    func requireIdentifier(_ metadata: StoreMetadata, path: String) throws {
        guard metadata.identifier.caseInsensitiveCompare(identifier) != .orderedSame else { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "The file '\(path)' is no longer the store that was opened: its identifier is \(metadata.identifier), and was \(identifier). Close the store, and open it again."
        )
    }

    /// Adds a listener for warnings that users of the store should see and that no call throws.
    ///
    /// - Returns: A closure that removes the listener.
    package func addWarningListener(_ listener: @escaping @Sendable (CoreDataError) -> Void) -> @Sendable () -> Void {
        let warnings = warnings
        let number = warnings.add(listener)
        return { warnings.remove(number) }
    }

    /// Reports a warning to the listeners.
    package func warn(_ warning: CoreDataError) { warnings.report(warning) }
}
