public import Foundation
public import Sworm

extension MigrationPlan {
    /// The progress of a migration.
    public struct Progress: Sendable, Hashable {
        /// The number of completed stages.
        public var done: Int
        /// The total number of stages.
        public var count: Int
        /// The name of the version that the current stage migrates from.
        public var from: String
        /// The name of the version that the current stage migrates to.
        public var to: String
        /// The completed fraction of the current stage, from 0 to 1.
        public var fraction: Double

        /// The completed fraction of all stages, from 0 to 1.
        public var total: Double { count > 0 ? min((Double(done) + fraction) / Double(count), 1) : 1 }
    }

    /// Migrates a store from its version to a newer version.
    ///
    /// A migration can be cancelled in three ways until the new store replaces the old one: `progress` throws an error,
    /// the task is cancelled, or Foundation's `Progress` that is current on this thread, which the migration becomes a
    /// part of, is cancelled. The last two result in a `CancellationError`.
    ///
    /// - Parameters:
    ///   - url: The location of the store. The store must not be open anywhere.
    ///   - version: The name of the version to stop at; nil for the newest.
    ///   - timeout: The number of seconds to wait for other connections to the store.
    ///   - progress: A closure that is called with the progress, on the thread that migrates. An error that it throws
    ///     cancels the migration.
    /// - Returns: The names of the versions that the store went through, including the first. Empty if there was
    ///   nothing to do or there is no store.
    /// - Throws: A `StoreError`: `incompatibleModel` if the store matches no version, `migrationFailed` with the
    ///   reasons if no mapping can be inferred, the objects do not fit the new model, or a stage would never run
    ///   because its versions are indistinguishable to stores; and the errors of the stages' closures. The store is
    ///   then unchanged.
    @discardableResult
    public func migrate(
        storeAt url: URL, to version: String? = nil, timeout: TimeInterval = 240,
        progress: ((Progress) throws -> Void)? = nil
    ) throws -> [String] {
        try migrate(storeAt: url, to: version, timeout: timeout, in: nil, progress: progress)
    }

    /// - Parameter folder: The folder for copies, if they are not created beside the store.
    package func migrate(
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
            // Another process may have migrated the store before it was locked.
            let first = try versionIndex(of: frame.metadata(), at: url)
            guard first != last else { return [] }
            guard first < last else {
                throw StoreError(
                    .migrationFailed,
                    "The store '\(url.lastPathComponent)' has the version '\(versions[first].name)', and cannot be migrated back to '\(versions[last].name)'."
                )
            }
            for index in first..<last {
                let (old, new) = (versions[index], versions[index + 1])
                func report(_ fraction: Double) throws {
                    try watch.report(
                        Progress(
                            done: index - first, count: last - first, from: old.name, to: new.name, fraction: fraction))
                }
                try report(0)
                try new.stage.run(in: frame, from: try old.model(), to: try new.model(), progress: report)
                try report(1)
            }
            try frame.finish(from: try versions[first].model(), to: try versions[last].model()) {
                try watch.throwCancellation()
            }
            watch.end()
            return versions[first...last].map(\.name)
        } catch {
            throw translatedError(error, isOpening: true)
        }
    }
}

extension PersistentContainer {
    /// Opens a store with the newest version of a plan, after migrating it if it has an older one.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - location: The location of the store. A read-only store is not migrated. A store on a server is migrated as
    ///     far as its mappings can be inferred; a stage with closures is an error.
    ///   - logError: A closure that is called with every error that a `perform` throws, and with every error that could
    ///     not be thrown.
    ///   - strict: Whether a misuse that cannot be thrown as an error stops the program. For tests.
    ///   - timeout: The number of seconds to wait for a store that another process holds locked.
    ///   - mergePolicy: The policy for a save that meets rows that were changed concurrently, or unique values that
    ///     already exist.
    ///   - progress: A closure that is called with the progress of the migration. An error that it throws cancels the
    ///     migration.
    /// - Throws: The errors of ``MigrationPlan/migrate(storeAt:to:timeout:progress:)``, and of the initializer that
    ///   accepts a model.
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
        try plan.requireInferredStages(at: location)
        try self.init(
            model: try newest.model(), at: location, logError: logError, strict: strict, timeout: timeout,
            mergePolicy: mergePolicy)
    }
}
