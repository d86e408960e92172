package import Foundation
import SwormSQLite

/// Makes a store of one model into one of another.
///
/// The store itself stays as it is until the end. A copy is made beside it and changed there; when it has been checked, it
/// takes the store's place in one step. Whatever goes wrong before leaves the old store, and nothing beside it.
package struct StoreMigration {
    let files: StoreFiles
    let source: CompiledModel
    let target: MigrationTarget
    let mapping: ModelMapping
    var destination: CompiledModel { target.model }
    var options: StoreOptions
    /// Called with how far it is. What it throws cancels the migration.
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
                "The store “\(files.main)” cannot be migrated: the new model has no entities, so nothing of the store could stay. Give the model that the store is to have; to empty the store, delete its objects."
            )
        }
        self.options = options
        self.progress = progress
    }

    /// Migrates the store.
    ///
    /// - Returns: Nil when somebody else has done it meanwhile.
    /// - Throws: ``CoreDataError`` that says why not. The store is then as it was.
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
        try Self.refuseMirrored(inspection, files, options)
        let change = try CoreDataError.translating(while: "migrate", path: files.main) {
            try StoreChange(self, inspection, lock.connection)
        }
        try change.refuseMissingFiles()
        try requireRoom(for: change)
        try folder.make(for: files)
        // Where this fails, others must wait until the folder is gone: they would use the same.
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

    /// Removes what a migration that was cut off has left beside a store, unless one is at work there.
    package static func removeRemains(beside files: StoreFiles) {
        let folder = MigrationFolder(of: files)
        guard folder.exists else { return }
        var options = StoreOptions()
        options.busyTimeout = 0
        options.disk = files.disk
        // Whoever migrates the store has it to himself. Who only uses it would be disturbed, so this can wait.
        guard let lock = try? MigrationLock(files, options: options) else { return }
        withExtendedLifetime(lock) { folder.removeLeftovers(of: files, lock.connection) }
    }

    /// Makes the migrated store at another place, from a connection to the store that nobody else writes by. The files of
    /// external data stay where they are.
    func make(at place: StoreFiles, from connection: StoreConnection) throws {
        try CoreDataError.translating(while: "migrate", path: files.main) {
            let inspection = try StoreInspection(connection, path: files.main)
            let change = try StoreChange(self, inspection, connection)
            try change.refuseMissingFiles()
            try requireRoom(for: change)
            try copy(connection, to: place)
            _ = try change.run(on: place)
        }
    }

    /// - Parameter path: The store, which is as it was.
    static func unsound(_ path: String, _ faults: [String]) -> CoreDataError {
        CoreDataError(
            NSMigrationError,
            "The store “\(path)” was not migrated, because the migrated copy was not sound: \(faults.prefix(5).joined(separator: "; ")). The store is as it was."
        )
    }

    private func requireRoom(for change: StoreChange) throws {
        try files.requireRoom(change.neededRoom().largest, options)
    }

    /// Refuses a store that Core Data mirrors to CloudKit, where nobody has decided to write it all the same.
    package static func refuseMirrored(_ inspection: StoreInspection, _ files: StoreFiles, _ options: StoreOptions)
        throws
    {
        guard let table = inspection.mirroringTable, !options.writesMirroredStores else { return }
        throw CoreDataError(
            NSMigrationError,
            "The store “\(files.main)” was written with another model, and it is mirrored to CloudKit (it has the table \(table)), so it is not migrated. To do so all the same, open it with the option \(SwormWritesMirroredStoresOption)."
        )
    }

    package func copy(_ connection: StoreConnection, to place: StoreFiles) throws {
        try connection.copy(to: place) { done, total in
            try progress?(MigrationProgress(phase: .copying, done: done, total: total))
        }
    }
}

extension StoreConnection {
    /// The bytes of the database, whether they stand in the file or in its log.
    func size() throws -> Int64 { (try integer("PRAGMA page_count") ?? 0) * (try integer("PRAGMA page_size") ?? 0) }

    /// Copies the whole database into a new file.
    ///
    /// - Parameter progress: Told how many pages of how many are copied. What it throws ends the copying.
    package func copy(to place: StoreFiles, progress: ((_ done: Int, _ total: Int) throws -> Void)? = nil) throws {
        // What is written once and not read needs no cache.
        let target = try Connection(
            .file(path: place.main),
            options: .init(access: .readWriteCreate, cacheSizeKiB: 1024, fileSystem: place.disk.fileSystem))
        try target.execute("PRAGMA synchronous = OFF")
        try base.backup(to: target, pagesPerStep: 1024) { remaining, total in try progress?(total - remaining, total) }
    }
}

extension StoreFiles {
    /// Gives a copy that is to take the store's place its owner and its permissions, and brings the copy to the disk.
    func finish(_ copy: StoreFiles) throws {
        var information = stat()
        if stat(main, &information) == 0 {
            // Only an administrator can give files away, and nobody else has a reason to.
            try? calls.setOwner(of: copy.main, user: information.st_uid, group: information.st_gid)
            try? calls.setPermissions(of: copy.main, Int(information.st_mode & 0o7777))
        }
        try calls.synchronize(copy.main)
    }
}
