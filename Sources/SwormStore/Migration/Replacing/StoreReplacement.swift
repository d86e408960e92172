package import Foundation
import SwormSQLite

/// A replacement of a store by another one, which is made in any number of steps and moved to its path at once.
///
/// The store is locked from the start, so no other connection can use it. The new store is made in a hidden folder
/// beside it, which is deleted with this object unless ``finish(from:to:last:)`` was called; until then the store and
/// its files of external data are unchanged.
package final class StoreReplacement {
    let files: StoreFiles
    let options: StoreOptions
    /// The lock of the store; nil if there was no store.
    private let lock: MigrationLock?
    private(set) var folder: MigrationFolder
    /// The files that the last step has made; nil before the first step.
    private(set) var current: StoreFiles?
    private var count = 0

    /// Creates a replacement for an existing store, which a migration plan migrates.
    ///
    /// - Parameters:
    ///   - url: The URL of the store.
    ///   - timeout: The seconds to wait for other connections that have the store open.
    ///   - steps: The number of steps that will follow.
    /// - Throws: ``CoreDataError`` if the store is in use, cannot be written, is mirrored to CloudKit, or there is not
    ///   enough disk space beside it.
    package convenience init(of url: URL, timeout: Double = StoreOptions().busyTimeout, steps: Int = 1) throws {
        var options = StoreOptions()
        options.busyTimeout = min(timeout, StoreOptions.longestTimeout)
        try self.init(of: url, options: options, isMissingAllowed: false, steps: steps)
        try refuseMirroredSource()
    }

    /// Creates a replacement for a store.
    ///
    /// - Parameter isMissingAllowed: Whether there may be no store yet.
    package init(of url: URL, options: StoreOptions, isMissingAllowed: Bool, steps: Int = 1) throws {
        files = StoreFiles(url: url, disk: options.disk)
        self.options = options
        folder = MigrationFolder(of: files)
        try files.refuseOtherKinds()
        if isMissingAllowed, FileStamp(path: files.main) == nil {
            lock = nil
        } else {
            try SQLiteStore.checkWritable(files)
            if isMissingAllowed { try files.requireRemovable(timeout: options.busyTimeout) }
            let (files, options) = (self.files, self.options)
            lock = try CoreDataError.translating(while: "migrate", path: files.main) {
                do {
                    return try MigrationLock(files, options: options)
                } catch let error as SQLiteError
                    where isMissingAllowed && error.isDamage && !HubRegistry.isOpen(files.main)
                {
                    // A damaged file cannot be locked, but a sound store is to replace it.
                    return nil
                }
            }
        }
        if isMissingAllowed { try refuseMirroredTarget() }
        folder.removeLeftovers(of: files, lock?.connection)
        // Every step checks the disk space that it needs. The minimum is checked before the first step: a copy, and a
        // second one that is made from it.
        if !isMissingAllowed, let size = try sizeOfStore() { try requireRoom(size * (steps > 1 ? 2 : 1)) }
        try folder.make(for: files)
    }

    deinit { folder.remove() }

    /// Returns the size of the store in bytes, including pages that are only in its log; nil if there is no store.
    func sizeOfStore() throws -> Int64? {
        guard let lock else { return nil }
        return try CoreDataError.translating(while: "read", path: files.main) { try lock.connection.size() }
    }

    /// The connection that locks the store; nil if there is no store, or it is too damaged to be locked.
    var lockedConnection: StoreConnection? { lock?.connection }

    func inspection() throws -> StoreInspection? {
        guard let lock else { return nil }
        return try CoreDataError.translating(while: "open", path: files.main) {
            try StoreInspection(lock.connection, path: files.main)
        }
    }

    /// Returns the store metadata that identifies the version of its model.
    package func metadata() throws -> [String: Any] { [StoreMetadataKey.versionHashes: try versionHashes()] }

    /// Returns the version hashes of the store.
    package func versionHashes() throws -> [String: Data] { try inspection()?.metadata.versionHashes ?? [:] }

    // MARK: Steps

    /// Migrates a store from one model to another with a mapping.
    package func migrate(
        from source: CompiledModel, to target: MigrationTarget, mapping: ModelMapping,
        progress: ((_ fraction: Double) throws -> Void)? = nil
    ) throws {
        let base = current ?? files
        let migration = try StoreMigration(
            of: base.url, from: source, to: target, mapping: mapping, options: options,
            progress: progress.map { progress in { try progress($0.fraction) } })
        let next = place()
        try migration.make(at: next, from: try connection(to: base))
        try passOnExternalData(from: base, to: next)
        advance(to: next)
    }

    /// Creates the next store from the current one with a closure.
    ///
    /// - Parameters:
    ///   - checkCancellation: A closure that is called repeatedly during copying and checking. An error that it throws
    ///     cancels the replacement.
    ///   - body: A closure that reads the store at the first URL and creates the new one at the second. Neither must be
    ///     in use when it returns.
    package func make(
        as destination: CompiledModel, checkCancellation: @escaping () throws -> Void = {},
        _ body: (_ present: URL, _ new: URL) throws -> Void
    ) throws {
        try requireRoomForNewStore()
        let present = try present(checkCancellation)
        let next = place()
        try body(present.url, next.url)
        let findings = try StoreVerification.findings(of: next.url, model: destination, disk: options.disk) {
            _, _ in try checkCancellation()
        }
        let issues = StoreVerification.grave(findings)
        guard issues.isEmpty else { throw StoreMigration.unsound(files.main, issues: issues.map(\.message)) }
        advance(to: next)
    }

    /// Returns the files that the last step has made, or a copy of the store before the first step.
    ///
    /// - Parameter checkCancellation: A closure that is called repeatedly during the copying. An error that it throws
    ///   ends the copying.
    func present(_ checkCancellation: @escaping () throws -> Void) throws -> StoreFiles {
        if let current { return current }
        let copy = place()
        try CoreDataError.translating(while: "copy", path: files.main) {
            try connection(to: files).copy(to: copy) { _, _ in try checkCancellation() }
        }
        try passOnExternalData(from: files, to: copy)
        current = copy
        return copy
    }

    /// Returns the issues that a check of the store itself finds.
    func originalFindings(_ model: CompiledModel) throws -> [StoreIssue] {
        guard let connection = lock?.connection, let inspection = try inspection() else { return [] }
        return try CoreDataError.translating(while: "check", path: files.main) {
            let layout = try StoreLayout(model: model, existing: ExistingSchema(tables: inspection.columns))
            try StoreFunctions.register(on: connection.base)
            return try StoreVerification.findings(
                connection, metadata: inspection.metadata, model: model, layout: layout, files: files)
        }
    }

    /// Uses a copy of another store as the replacement.
    func take(_ other: URL) throws {
        let source = StoreFiles(url: other, disk: options.disk)
        let next = place()
        let (_, reading, connection) = try SQLiteStore.inspect(source, options: options)
        try withExtendedLifetime(reading) {
            try requireRoom(try connection.size() + ((try? sizeOfLog()) ?? 0) + Self.externalSize(of: source))
            try CoreDataError.translating(while: "copy", path: source.main) { try connection.copy(to: next) }
        }
        if FileManager.default.fileExists(atPath: source.externalData) {
            try files.calls.copyFiles(in: source.externalData, to: next.externalData)
        }
        advance(to: next)
    }

    // MARK: The end

    /// The files of external data that a replacement adds and removes when it finishes.
    private struct Ending {
        /// The files that the new store has and the old one does not.
        var arriving: Set<UUID>
        /// The files that are no longer needed after the replacement.
        var leaving: Set<UUID>
    }

    /// Replaces the store with the one that was made.
    ///
    /// - Parameters:
    ///   - source: The model of the original store.
    ///   - destination: The model of the new store.
    ///   - last: A closure that is called when everything is ready. If it throws, the store remains unchanged; this is
    ///     the last chance to cancel.
    package func finish(
        from source: CompiledModel, to destination: CompiledModel, last: () throws -> Void = {}
    ) throws {
        try finish(last) { original, made, present in
            let before = try original?.externalFiles(source, path: self.files.main) ?? []
            let after = try made.externalFiles(destination, path: self.files.main)
            var leaving = before.subtracting(after)
            if !leaving.isEmpty { leaving.subtract(try made.namedExternalFiles()) }
            return Ending(arriving: after.subtracting(present), leaving: leaving)
        }
    }

    /// Replaces the store with the one that was made, when the two have nothing in common.
    ///
    /// - Parameter last: A closure that is called when everything is ready. If it throws, the store remains unchanged.
    /// - Throws: ``CoreDataError`` if another store uses the same folder of external data, and the new store has files
    ///   for it.
    func finish(last: () throws -> Void = {}) throws {
        let made = Set(Self.names(in: current?.externalData ?? ""))
        try finish(last) { _, _, present in
            let isShared = self.files.sharesExternalData
            guard made.isEmpty || !isShared else { throw Self.sharedFolder(self.files) }
            // Both may be copies of one store and name the same files. Files that belong to no replaced store are
            // retained.
            return Ending(
                arriving: made.subtracting(present),
                leaving: isShared || self.lock == nil ? [] : present.subtracting(made))
        }
    }

    static func sharedFolder(_ files: StoreFiles) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreOperationError,
            "A store at '\(files.main)' would share the external data folder '\(files.externalData)' with another store. Choose a name that differs in more than its extension."
        )
    }

    /// Replaces the store, and moves and deletes files of external data.
    ///
    /// - Parameter ending: Returns the files to add and to remove, given those that are present.
    private func finish(
        _ last: () throws -> Void,
        _ ending: (_ original: StoreConnection?, _ made: StoreConnection, _ present: Set<UUID>) throws -> Ending
    ) throws {
        guard let current else { return }
        let present = Set(Self.names(in: files.externalData))
        let end = try CoreDataError.translating(while: "migrate", path: files.main) {
            let connection = StoreConnection(
                try Connection(
                    .file(path: current.main),
                    options: .init(
                        access: .readWrite, isExclusive: true, cacheSizeKiB: options.cacheSizeKiB,
                        fileSystem: options.disk.fileSystem)))
            let end = try ending(lock?.connection, connection, present)
            // The content of the log must be in the file that is moved, and a new store uses write-ahead logging.
            try connection.base.setJournalMode(.delete)
            try connection.base.setJournalMode(.wal)
            return end
        }
        let hadExternalData = FileKind(path: files.supportFolder) != nil
        let external = ExternalDataFolder(path: files.externalData, disk: files.disk)
        do {
            try folder.note(current, arriving: end.arriving, leaving: end.leaving)
            try moveExternalData(end.arriving, of: current)
            try files.finish(current)
            try last()
            try folder.withdraw()
            let made = folder.path + "/" + (current.main as NSString).lastPathComponent
            try lock?.replace(with: made) ?? files.take(made)
        } catch {
            external.remove(end.arriving)
            if !hadExternalData { try? files.calls.removeTree(files.supportFolder) }
            throw error
        }
        // Both stores keep the files that they need until it is certain which one exists after a crash.
        try files.confirmReplacement()
        external.remove(end.leaving)
        folder.remove()
    }

    // MARK: Files

    func place() -> StoreFiles {
        count += 1
        return StoreFiles(url: URL(fileURLWithPath: folder.path + "/step\(count)"), disk: options.disk)
    }

    func connection(to place: StoreFiles) throws -> StoreConnection {
        if place == files, let lock { return lock.connection }
        return try CoreDataError.translating(while: "open", path: place.main) {
            StoreConnection(
                try Connection(
                    .file(path: place.main),
                    options: .init(
                        access: .readWrite, isExclusive: true, cacheSizeKiB: options.cacheSizeKiB,
                        fileSystem: options.disk.fileSystem)))
        }
    }

    func advance(to next: StoreFiles) {
        if let current {
            // If the path is a symbolic link, only the link is removed, not its target.
            for path in [current.supportFolder, current.sharedMemory, current.writeAheadLog, current.main] {
                try? files.calls.removeTree(path)
            }
        }
        current = next
    }
}
