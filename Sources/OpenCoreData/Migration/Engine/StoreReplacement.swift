package import Foundation
import SwormSQLite

/// Makes another store in a store's stead, in as many steps as it takes, and puts it in that one's place at once.
///
/// From the beginning on nobody else can use the store. What is made stands in a hidden folder beside it, and goes with this
/// value unless ``finish(from:to:)`` was called; until then the store and its files of external data are as they were.
package final class StoreReplacement {
    private let files: StoreFiles
    private let options: StoreOptions
    /// Nil where there was no store.
    private let lock: MigrationLock?
    private let folder: MigrationFolder
    /// What the last step has made; nil before the first.
    private var current: StoreFiles?
    private var count = 0

    /// - Parameters:
    ///   - url: The place of the store.
    ///   - timeout: The seconds to wait for others that have the store open.
    /// - Throws: ``CoreDataError`` when the store is in use, cannot be written, or has no room beside it.
    package convenience init(of url: URL, timeout: Double = StoreOptions().busyTimeout) throws {
        var options = StoreOptions()
        options.busyTimeout = timeout
        try self.init(of: url, options: options, isMissingAllowed: false)
        if let inspection = try inspection() { try StoreMigration.refuseMirrored(inspection, files, options) }
    }

    /// - Parameter isMissingAllowed: Whether there may be no store yet.
    init(of url: URL, options: StoreOptions, isMissingAllowed: Bool) throws {
        files = StoreFiles(url: url)
        self.options = options
        folder = MigrationFolder(of: files)
        if isMissingAllowed, FileStamp(path: files.main) == nil {
            lock = nil
        } else {
            try SQLiteStore.checkWritable(files)
            let (files, options) = (self.files, self.options)
            lock = try CoreDataError.translating(while: "migrate", path: files.main) {
                try MigrationLock(files, options: options)
            }
        }
        folder.removeLeftovers(of: files)
        try files.requireRoom(2 * files.size + 1 << 16)
        try folder.make(for: files)
    }

    deinit { folder.remove() }

    private func inspection() throws -> StoreInspection? {
        guard let lock else { return nil }
        return try CoreDataError.translating(while: "open", path: files.main) {
            try StoreInspection(lock.connection, path: files.main)
        }
    }

    /// What the store says of the version of its model.
    package func metadata() throws -> [String: Any] {
        [StoreMetadataKey.versionHashes: try inspection()?.metadata.versionHashes ?? [:]]
    }

    // MARK: Steps

    /// Makes a store of one model into one of another by a mapping that is inferred.
    package func infer(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        progress: ((_ fraction: Double) throws -> Void)? = nil
    ) throws {
        let base = current ?? files
        let migration = try StoreMigration(
            inferring: base.url, from: source, to: destination, options: options,
            progress: progress.map { progress in { try progress($0.fraction) } })
        let next = place()
        try migration.make(at: next, from: try connection(to: base))
        try passOnExternalData(from: base, to: next)
        advance(to: next)
    }

    /// Has a new store made from the present one.
    ///
    /// - Parameter body: Reads the store at the first place, and makes the new one at the second. Both are in no use when
    ///   it returns.
    package func make(
        as destination: NSManagedObjectModel, _ body: (_ present: URL, _ new: URL) throws -> Void
    ) throws {
        if current == nil {
            let copy = place()
            try CoreDataError.translating(while: "copy", path: files.main) { try connection(to: files).copy(to: copy) }
            try passOnExternalData(from: files, to: copy)
            current = copy
        }
        guard let current else { return }
        let next = place()
        try body(current.url, next.url)
        let faults = try StoreVerification.faults(of: next.url, model: destination.compiled())
        guard faults.isEmpty else { throw StoreMigration.unsound(files.main, faults) }
        advance(to: next)
    }

    /// Takes a copy of another store instead of this one.
    func take(_ other: URL) throws {
        let source = StoreFiles(url: other)
        let next = place()
        let (_, reading, connection) = try SQLiteStore.inspect(source, options: options)
        try withExtendedLifetime(reading) {
            try CoreDataError.translating(while: "copy", path: source.main) { try connection.copy(to: next) }
        }
        if FileManager.default.fileExists(atPath: source.externalData) {
            try FileManager.default.createDirectory(atPath: next.supportFolder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: source.externalData, toPath: next.externalData)
        }
        advance(to: next)
    }

    // MARK: The end

    /// Puts what was made in the store's place.
    ///
    /// - Parameters:
    ///   - source: The model of the store as it was.
    ///   - destination: The model of the store as it is to be.
    package func finish(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) throws {
        let models = (try source.compiled(), try destination.compiled())
        try finish { original, made in
            let before = try original?.externalFiles(models.0, path: self.files.main) ?? []
            return before.subtracting(try made.externalFiles(models.1, path: self.files.main))
        }
    }

    /// Puts what was made in the store's place, as a store that has nothing in common with it.
    func finish() throws {
        let known = Set(Self.names(in: files.externalData))
        try finish { _, _ in known }
    }

    /// - Parameter unneeded: Tells which files of external data nobody needs when the new store is in its place.
    private func finish(_ unneeded: (_ original: StoreConnection?, _ made: StoreConnection) throws -> Set<UUID>) throws
    {
        guard let current else { return }
        var leaving: Set<UUID> = []
        try CoreDataError.translating(while: "migrate", path: files.main) {
            let connection = StoreConnection(
                try Connection(.file(path: current.main), options: .init(access: .readWrite, isExclusive: true)))
            leaving = try unneeded(lock?.connection, connection)
            // What stands in a log has to be in the file that is moved, and a new store is in the mode of logs.
            try connection.base.setJournalMode(.delete)
            try connection.base.setJournalMode(.wal)
        }
        let arriving = try moveExternalData(of: current)
        do {
            try files.finish(current)
            try lock?.replace(with: current.main) ?? files.put(current.main)
        } catch {
            ExternalDataFolder(path: files.externalData).remove(arriving)
            throw error
        }
        ExternalDataFolder(path: files.externalData).remove(leaving.subtracting(arriving))
        folder.remove()
    }

    // MARK: Files

    private func place() -> StoreFiles {
        count += 1
        return StoreFiles(url: URL(fileURLWithPath: folder.path + "/step\(count)"))
    }

    private func connection(to place: StoreFiles) throws -> StoreConnection {
        if place == files, let lock { return lock.connection }
        return try CoreDataError.translating(while: "open", path: place.main) {
            StoreConnection(
                try Connection(.file(path: place.main), options: .init(access: .readWrite, isExclusive: true)))
        }
    }

    private func advance(to next: StoreFiles) {
        if let current {
            // A link is removed, and not what it leads to.
            for path in [current.supportFolder, current.sharedMemory, current.writeAheadLog, current.main] {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
        current = next
    }

    /// Lets a copy find the files of external data that it names. Those of the store itself stay where they are.
    private func passOnExternalData(from base: StoreFiles, to next: StoreFiles) throws {
        let manager = FileManager.default
        guard base == files else {
            if FileKind(path: base.supportFolder) != nil {
                try manager.moveItem(atPath: base.supportFolder, toPath: next.supportFolder)
            }
            return
        }
        guard FileKind(path: base.supportFolder) != nil else { return }
        try manager.createSymbolicLink(
            atPath: next.supportFolder,
            withDestinationPath: URL(fileURLWithPath: base.supportFolder).standardizedFileURL.path)
    }

    /// Moves the files of external data that were made with the new store to those of the old one. Their names are unique.
    private func moveExternalData(of made: StoreFiles) throws -> Set<UUID> {
        let type = try? FileManager.default.attributesOfItem(atPath: made.supportFolder)[.type] as? FileAttributeType
        guard type == .typeDirectory else { return [] }
        let names = Self.names(in: made.externalData)
        let target = ExternalDataFolder(path: files.externalData)
        guard !names.isEmpty else { return [] }
        let note = ([(made.main as NSString).lastPathComponent] + names.map(\.uuidString)).joined(separator: "\n")
        try note.write(toFile: folder.arrivals, atomically: true, encoding: .utf8)
        try StoreFiles.synchronize(folder.arrivals)
        var moved: Set<UUID> = []
        do {
            try FileManager.default.createDirectory(atPath: files.externalData, withIntermediateDirectories: true)
            for name in names {
                guard let from = ExternalDataFolder(path: made.externalData).file(name), let to = target.file(name)
                else { continue }
                guard rename(from, to) == 0 else { throw StoreFiles.systemError("moved", from) }
                moved.insert(name)
            }
            try StoreFiles.synchronize(files.externalData)
        } catch {
            target.remove(moved)
            throw error
        }
        return moved
    }

    private static func names(in folder: String) -> [UUID] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { name in
            UUID(uuidString: name).flatMap { $0.uuidString == name ? $0 : nil }
        }
    }
}

extension MigrationProgress {
    /// How much of the whole is done, by and large: copying, changing and checking take about as long.
    fileprivate var fraction: Double {
        let part = total > 0 ? Double(done) / Double(total) : 0
        return switch phase {
        case .copying: part / 3
        case .changing: (1 + part) / 3
        case .verifying: (2 + part) / 3
        case .replacing: 1
        }
    }
}

extension StoreFiles {
    /// The place of the main file.
    fileprivate var url: URL { URL(fileURLWithPath: given) }

    /// The hidden folder that the external data is in.
    fileprivate var supportFolder: String { (externalData as NSString).deletingLastPathComponent }

    /// Puts a file where there is no store.
    fileprivate func put(_ path: String) throws {
        guard rename(path, main) == 0 else { throw Self.systemError("put in the place of the store", path) }
        try? Self.synchronize(folder)
    }
}
