public import Foundation
import SwormStore

/// The option for an ``NSStagedMigrationManager``, which migrates a store of an older version in stages when the store
/// is opened for writing.
public let NSPersistentStoreStagedMigrationManagerOptionKey: String = "NSPersistentStoreStagedMigrationManagerOptionKey"

/// A manager that migrates stores from any older version of a model to the current one, in stages.
///
/// ```swift
/// let split = NSCustomMigrationStage(migratingFrom: v2, to: v3)
/// split.willMigrateHandler = { manager, stage in
///     guard let context = manager.container?.newBackgroundContext() else { return }
///     try context.performAndWait { … ; try context.save() }
/// }
/// let manager = NSStagedMigrationManager([NSLightweightMigrationStage([v1.versionChecksum]), split])
/// description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
/// All stages and their handlers use a copy of the store in the same folder. The copy replaces the store after the last
/// stage has succeeded. If the migration is interrupted, the URL has either the old store or the new one.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
    // The stages never change, and the mutable state is protected by `lock`. Hence the unchecked conformance.

    /// The stages, the oldest first.
    public let stages: [NSMigrationStage]
    private let lock = NSLock()
    private var current: NSPersistentContainer?
    private var isRunning = false

    /// Creates a manager.
    ///
    /// - Parameter stages: The stages, the oldest first.
    public init(_ stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// A container with the store that is being migrated and its current model, or nil if no handler of a stage is
    /// running.
    open var container: NSPersistentContainer? { lock.withLock { current } }

    /// Runs a migration. A manager runs one migration at a time.
    final func running<Result>(_ body: () throws -> Result) throws -> Result {
        try lock.withLock {
            guard !isRunning else {
                throw CoreDataError(
                    NSMigrationError,
                    "The staged migration manager is already migrating a store. Create another manager for another store."
                )
            }
            isRunning = true
        }
        defer { lock.withLock { isRunning = false } }
        return try body()
    }

    /// Sets the container while a handler runs, and closes its stores afterwards.
    final func lend(_ container: NSPersistentContainer, to body: () throws -> Void) rethrows {
        lock.withLock { current = container }
        defer {
            lock.withLock { current = nil }
            let coordinator = container.persistentStoreCoordinator
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
        try body()
    }
}
