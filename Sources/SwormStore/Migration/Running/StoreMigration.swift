package import Foundation
import SwormSQLite

/// A migration of a store from one model to another.
///
/// The store itself is unchanged until the end. A copy is made beside it and changed there; after its verification, the
/// copy replaces the store in one step. If anything fails before that, the old store remains, with no other files
/// beside it.
package struct StoreMigration {
    let files: StoreFiles
    let source: CompiledModel
    let target: MigrationTarget
    let mapping: ModelMapping
    var destination: CompiledModel { target.model }
    var options: StoreOptions
    /// A closure that is called with the progress. An error that it throws cancels the migration.
    var progress: ((MigrationProgress) throws -> Void)?

    package init(
        of url: URL, from source: CompiledModel, to target: MigrationTarget, mapping: ModelMapping,
        options: StoreOptions = StoreOptions(), progress: ((MigrationProgress) throws -> Void)? = nil
    ) throws {
        files = StoreFiles(url: url, disk: options.disk)
        self.source = source
        self.target = target
        self.mapping = mapping
        guard !target.model.entities.isEmpty else {
            throw CoreDataError(
                NSMigrationError,
                "The store '\(files.main)' cannot be migrated: the new model has no entities, so all data would be lost. Use a model with entities. To empty the store, delete its objects."
            )
        }
        self.options = options
        self.progress = progress
    }

    /// Migrates the store.
    ///
    /// - Returns: A report; nil if another process has migrated the store in the meantime.
    /// - Throws: ``CoreDataError`` that describes the reason for a failure. The store is then unchanged.
    @discardableResult
    package func run() throws -> MigrationReport? {
        try SQLiteStore.checkWritable(files)
        let lock = try CoreDataError.translating(while: "migrate", path: files.main) {
            try MigrationLock(files, options: options)
        }
        var folder = MigrationFolder(of: files)
        folder.removeLeftovers(of: files, lock.connection)
        let inspection = try CoreDataError.translating(while: "migrate", path: files.main) {
            try StoreInspection(lock.connection, path: files.main)
        }
        if inspection.metadata.versionHashes == destination.versionHashes { return nil }
        try Self.refuseMirrored(inspection, files: files, options: options)
        let change = try CoreDataError.translating(while: "migrate", path: files.main) {
            try MigrationRun(self, inspection: inspection, original: lock.connection)
        }
        try change.refuseMissingFiles()
        try requireRoom(for: change)
        try folder.make(for: files)
        // If this fails, other processes must wait until the folder is deleted, because they would use the same one.
        defer { withExtendedLifetime(lock) { folder.remove() } }
        var report = try CoreDataError.translating(while: "migrate", path: files.main) {
            try copy(lock.connection, to: folder.database)
            return try change.run(on: folder.database)
        }
        try files.finish(folder.database)
        let unneeded = change.unneededFiles
        try folder.note(folder.database, arriving: [], leaving: unneeded)
        try folder.withdraw()
        try progress?(MigrationProgress(phase: .replacing, done: 0, total: 1))
        try lock.replace(with: folder.database.main)
        try files.confirmReplacement()
        ExternalDataFolder(path: files.externalData, disk: files.disk).remove(unneeded)
        report.removedFiles = unneeded.count
        return report
    }

    /// Removes the leftovers of an interrupted migration beside a store, unless a migration is running there.
    package static func removeRemains(beside files: StoreFiles) {
        let folder = MigrationFolder(of: files)
        guard folder.exists else { return }
        var options = StoreOptions()
        options.busyTimeout = 0
        options.disk = files.disk
        // A running migration holds the lock. Waiting for it would disturb connections that use the store, and the
        // removal is not urgent.
        guard let lock = try? MigrationLock(files, options: options) else { return }
        withExtendedLifetime(lock) { folder.removeLeftovers(of: files, lock.connection) }
    }

    /// Makes the migrated store at another location, from a connection to a store that no other connection writes. The
    /// files of external data are not moved.
    func make(at place: StoreFiles, from connection: StoreConnection) throws {
        try CoreDataError.translating(while: "migrate", path: files.main) {
            let inspection = try StoreInspection(connection, path: files.main)
            let change = try MigrationRun(self, inspection: inspection, original: connection)
            try change.refuseMissingFiles()
            try requireRoom(for: change)
            try copy(connection, to: place)
            _ = try change.run(on: place)
        }
    }

    /// Returns the error for a migrated copy that is damaged.
    ///
    /// - Parameter path: The path of the store, which is unchanged.
    static func unsound(_ path: String, issues: [String]) -> CoreDataError {
        CoreDataError(
            NSMigrationError,
            "The store '\(path)' was not migrated, because the migrated copy failed its check: \(issues.prefix(5).joined(separator: "; ")). The store is unchanged."
        )
    }

    private func requireRoom(for change: MigrationRun) throws {
        try files.requireRoom(change.neededRoom().largest, options: options)
    }

    /// Throws an error if Core Data mirrors the store to CloudKit, unless the options allow writing mirrored stores.
    ///
    /// - Parameter advice: The last sentence of the error: how such a store is migrated.
    static func refuseMirrored(
        _ inspection: StoreInspection, files: StoreFiles, options: StoreOptions,
        advice: String = "To migrate it anyway, open it with the option \(SwormWritesMirroredStoresOption)."
    ) throws {
        guard let table = inspection.mirroringTable, !options.writesMirroredStores else { return }
        throw CoreDataError(
            NSMigrationError,
            "The store '\(files.main)' was written with another model, and it is mirrored to CloudKit (it has the table \(table)), so it was not migrated. \(advice)"
        )
    }

    func copy(_ connection: StoreConnection, to place: StoreFiles) throws {
        try connection.copy(to: place) { done, total in
            try progress?(MigrationProgress(phase: .copying, done: done, total: total))
        }
    }
}

extension StoreConnection {
    /// Returns the size of the database in bytes, including pages that are only in its log.
    func size() throws -> Int64 { (try integer("PRAGMA page_count") ?? 0) * (try integer("PRAGMA page_size") ?? 0) }

    /// Copies the whole database into a new file.
    ///
    /// - Parameter progress: A closure that is called with the number of copied pages and of all pages. An error that
    ///   it throws ends the copying.
    func copy(to place: StoreFiles, progress: ((_ done: Int, _ total: Int) throws -> Void)? = nil) throws {
        // A target that is only written, once, needs no cache.
        let target = try Connection(
            .file(path: place.main),
            options: .init(access: .readWriteCreate, cacheSizeKiB: 1024, fileSystem: place.disk.fileSystem))
        try target.execute("PRAGMA synchronous = OFF")
        try base.backup(to: target, pagesPerStep: 1024) { remaining, total in try progress?(total - remaining, total) }
    }
}

extension StoreFiles {
    /// Gives a copy that will replace the store the store's owner and permissions, and flushes the copy to the disk.
    func finish(_ copy: StoreFiles) throws {
        var information = stat()
        if stat(main, &information) == 0 {
            // Only an administrator can change the owner of a file. Other users have no reason to, so errors are
            // ignored.
            try? calls.setOwner(of: copy.main, user: information.st_uid, group: information.st_gid)
            try? calls.setPermissions(of: copy.main, Int(information.st_mode & 0o7777))
        }
        try calls.synchronize(copy.main)
    }
}
