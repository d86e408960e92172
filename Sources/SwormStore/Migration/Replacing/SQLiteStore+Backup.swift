package import Foundation
import SwormSQLite
package import SwormRows

extension SQLiteStore {
    /// Copies one state of the store, with its external data, to a file. Other connections can read and write
    /// concurrently.
    ///
    /// The copy is made in a hidden folder beside the target, checked, flushed to the disk, and then replaces the
    /// target in one step. Issues that the store itself has are reported as a warning.
    ///
    /// - Parameters:
    ///   - url: The URL of the target: either no file exists there, or a store that no connection has open.
    ///   - token: Interrupts the copying.
    /// - Throws: ``CoreDataError`` if the copy cannot be made or is damaged; with the condition `timedOut` if the
    ///   target is in use, and `wouldDeadlock` if the calling thread is writing on the connection that the backup would
    ///   read from; and if the target is mirrored to CloudKit. In these cases the target is unchanged.
    package func backup(to url: URL, _ token: InterruptToken? = nil) throws {
        try backup(to: url, token) { _ in }
    }

    /// Copies the store like ``backup(to:_:)``.
    ///
    /// - Parameter change: A closure that changes the copy through a connection to it, before it is checked.
    func backup(to url: URL, _ token: InterruptToken?, change: (StoreConnection) throws -> Void) throws {
        guard url.isFileURL, !StoreFiles.isFileless(url) else {
            throw CoreDataError(
                NSPersistentStoreInvalidTypeError,
                "A backup needs the URL of a file, and '\(url.absoluteString)' is not a file URL.")
        }
        if let files, let own = FileIdentity(path: files.main), FileIdentity(path: StoreFiles(url: url).main) == own {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "The store '\(files.main)' cannot be backed up to its own file. Choose another file.")
        }
        if let failure = token?.failure { throw failure }
        if openFiles?.pool.isWritingHere ?? false { throw CoreDataError.backupInside }
        let (isMirrored, issues) = try translating("back up", token: token) { () throws -> (Bool, [StoreIssue]) in
            let replacement = try replacement(of: url, token)
            let isMirrored = try copy(into: replacement, token)
            try replacement.change(change)
            // Data that is in a backup must not be missing from the store itself after a crash.
            try files?.synchronizeCommits()
            let issues = try replacement.verify(model, known: { try findings(token) }) {
                if let failure = token?.failure { throw failure }
            }
            try replacement.finish()
            return (isMirrored, issues)
        }
        if !issues.isEmpty { warnings.report(.copiedIssues(issues, url.path)) }
        if isMirrored { warnings.report(.mirroredCopy(url.path)) }
    }

    private func replacement(of url: URL, _ token: InterruptToken?) throws -> StoreReplacement {
        do {
            return try StoreReplacement(of: url, options: backupOptions(token), isMissingAllowed: true)
        } catch let error as CoreDataError where error.errorCode == NSPersistentStoreTimeoutError {
            throw CoreDataError(
                NSPersistentStoreTimeoutError,
                "The store '\(url.path)' cannot be replaced by a backup: another connection or process has it open. Close the other one, or allow more time. Nothing was changed.",
                cause: error, condition: .timedOut)
        }
    }

    /// Returns the findings of a check of the store itself.
    private func findings(_ token: InterruptToken?) throws -> [StoreIssue] {
        try withView(token) { connection, layout, check in
            let metadata = try connection.metadataBytes().map {
                try StoreMetadata(identifier: identifier, propertyList: $0, path: files?.main)
            }
            return try StoreVerification.findings(
                connection, metadata: metadata ?? writtenMetadata, model: model, layout: layout,
                files: files ?? StoreFiles(url: StoreFiles.memoryURL)
            ) { _, _ in try check() }
        }
    }

    /// - Returns: Whether the store is mirrored to CloudKit.
    private func copy(into replacement: StoreReplacement, _ token: InterruptToken?) throws -> Bool {
        try withView(token) { connection, _, check in
            try replacement.take(connection, externalData: external, check: check)
        }
    }

    /// Calls a closure with a connection that reads one state of the store.
    ///
    /// - Parameter body: Its last parameter throws an error if the work is to stop.
    func withView<Result>(
        _ token: InterruptToken?,
        _ body: (_ connection: StoreConnection, _ layout: StoreLayout, _ check: @escaping () throws -> Void) throws ->
            Result
    ) throws -> Result {
        let (open, watch) = try currentFiles()
        let view = SQLiteSession(
            store: self, open: open, connection: try open.pool.takeReader(watch: watch, token: token), token)
        defer { view.end() }
        let connection = try view.lease.beginUse()
        defer { view.lease.endUse() }
        return try body(connection, open.layout) {
            if let failure = token?.failure { throw failure }
            try view.lease.check()
        }
    }

    private func backupOptions(_ token: InterruptToken?) -> StoreOptions {
        var options = StoreOptions()
        options.busyTimeout = self.options.busyTimeout
        if let deadline = token?.deadline {
            options.busyTimeout = min(options.busyTimeout, deadline.secondsLeft)
        }
        options.freeRoom = self.options.freeRoom
        options.disk = self.options.disk
        return options
    }
}

extension CoreDataError {
    fileprivate static func copiedIssues(_ issues: [StoreIssue], _ path: String) -> CoreDataError {
        let more = issues.count > 3 ? "; and \(issues.count - 3) more" : ""
        return CoreDataError(
            NSPersistentStoreOperationError,
            "The copy '\(path)' has the same issues as the store itself: \(issues.prefix(3).map(\.message).joined(separator: "; "))\(more). Repair them in the store, and copy it again."
        )
    }

    fileprivate static var backupInside: CoreDataError {
        CoreDataError(
            NSPersistentStoreCoordinatorLockingError,
            "A store with a single connection, such as an in-memory store, cannot be backed up inside a call that writes it: the copy would contain uncommitted changes. Back it up after the call.",
            condition: .wouldDeadlock)
    }
}
