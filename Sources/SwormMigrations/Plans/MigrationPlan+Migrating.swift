public import Foundation
public import Sworm

extension MigrationPlan {
    /// How far a migration is.
    public struct Progress: Sendable, Hashable {
        /// The number of stages that are done.
        public var done: Int
        /// The number of stages in all.
        public var count: Int
        /// The name of the version that is left at present.
        public var from: String
        /// The name of the version that is made of it.
        public var to: String
        /// How much of the present stage is done, from 0 to 1.
        public var fraction: Double

        /// How much of all stages is done, from 0 to 1.
        public var total: Double { count > 0 ? min((Double(done) + fraction) / Double(count), 1) : 1 }
    }

    /// Migrates a store, from whichever version it has.
    ///
    /// Three things cancel it, up to the moment in which the new store takes the old one's place: what `progress` throws; the
    /// task, when it is cancelled; and Foundation's `Progress` that is current on this thread, of which the migration is a
    /// part. The last two throw a `CancellationError`.
    ///
    /// - Parameters:
    ///   - url: The place of the store. Nobody may have it open.
    ///   - version: The name of the version to stop at; nil for the newest.
    ///   - timeout: The seconds to wait for others that have the store open.
    ///   - progress: Told how far it is, on the thread that migrates. What it throws cancels the migration.
    /// - Returns: The names of the versions that the store went through, with that it had first. Empty when there was nothing
    ///   to do or there is no store.
    /// - Throws: A ``StoreError``: `incompatibleModel` when the store has none of the versions, `migrationFailed` with the
    ///   reasons when no mapping can be inferred, the objects do not fit the new model, or a stage would never run as its
    ///   versions are the same to stores; and what closures of the stages throw. The store is then as it was.
    @discardableResult
    public func migrate(
        storeAt url: URL, to version: String? = nil, timeout: TimeInterval = 240,
        progress: ((Progress) throws -> Void)? = nil
    ) throws -> [String] {
        try migrate(storeAt: url, to: version, timeout: timeout, in: nil, progress: progress)
    }

    /// - Parameter folder: Where copies are made, where that is not beside the store.
    func migrate(
        storeAt url: URL, to version: String?, timeout: TimeInterval, in folder: URL?,
        progress: ((Progress) throws -> Void)?
    ) throws -> [String] {
        let last = try index(named: version)
        try requireReachableStages()
        guard let seen = try versionIndex(ofStoreAt: url) else { return [] }
        guard seen != last else {
            MigrationFrame.removeRemains(beside: url)
            return []
        }
        let watch = MigrationWatch(progress)
        do {
            try watch.throwCancellation()
            let frame = try MigrationFrame(of: url, timeout: timeout, in: folder, steps: last - seen)
            // Somebody else may have migrated it before it was locked.
            let first = try versionIndex(of: frame.metadata(), at: url)
            guard first != last else { return [] }
            guard first < last else {
                throw StoreError(
                    .migrationFailed,
                    "The store \(url.lastPathComponent) has the version '\(versions[first].name)', and there is no way back to '\(versions[last].name)'."
                )
            }
            for index in first..<last {
                let (old, new) = (versions[index], versions[index + 1])
                func tell(_ fraction: Double) throws {
                    try watch.tell(
                        Progress(
                            done: index - first, count: last - first, from: old.name, to: new.name, fraction: fraction))
                }
                try tell(0)
                try new.stage.run(in: frame, from: try old.model(), to: try new.model(), tell: tell)
                try tell(1)
            }
            try frame.finish(from: try versions[first].model(), to: try versions[last].model()) {
                try watch.throwCancellation()
            }
            watch.end()
            return versions[first...last].map(\.name)
        } catch {
            throw translatedError(error)
        }
    }
}

extension PersistentContainer {
    /// Opens a store with the newest version of a plan, and migrates it first if it has an older one.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - location: Where the store is. One that is only read is not migrated.
    ///   - logError: Called with every error that a `perform` throws, and with what could not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown stops the program. For tests.
    ///   - timeout: The seconds to wait for a store that another process holds locked.
    ///   - mergePolicy: What a save does about rows that others changed in the meantime, and about unique values that are
    ///     taken.
    ///   - progress: Told how far the migration is. What it throws cancels it.
    /// - Throws: As ``MigrationPlan/migrate(storeAt:to:timeout:progress:)``, and as the initialiser for a model.
    public convenience init(
        migrating plan: MigrationPlan, at location: StoreLocation,
        logError: (@Sendable (any Swift.Error) -> Void)? = nil, strict: Bool = false, timeout: TimeInterval = 240,
        mergePolicy: NSMergePolicyType = .errorMergePolicyType,
        progress: ((MigrationPlan.Progress) throws -> Void)? = nil
    ) throws {
        let newest = plan.versions[try plan.index(named: nil)]
        if let url = location.url, !location.isReadOnly {
            try plan.migrate(storeAt: url, timeout: timeout, progress: progress)
        }
        try self.init(
            model: try newest.model(), at: location, logError: logError, strict: strict, timeout: timeout,
            mergePolicy: mergePolicy)
    }
}
