public import Foundation
import SwormStore

/// The option that holds an ``NSStagedMigrationManager``: a store of an older version goes through its stages when it is
/// opened for writing.
public let NSPersistentStoreStagedMigrationManagerOptionKey: String = "NSPersistentStoreStagedMigrationManagerOptionKey"

/// The stages that lead from each older version of a model to the present one.
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
/// All stages, with their handlers, work on a copy beside the store. The copy replaces the store after the last stage has
/// succeeded. If the migration is interrupted, the store is either the old one or the new one.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
    // The stages never change, and the container is guarded by `lock`. Hence the unchecked conformance.

    /// The stages, the oldest first.
    public let stages: [NSMigrationStage]
    private let lock = NSLock()
    private var current: NSPersistentContainer?
    private var isRunning = false

    /// Makes a manager.
    ///
    /// - Parameter stages: The stages, the oldest first.
    public init(_ stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// A container with the store that is migrated, in the model of the moment; nil but in the handlers of stages.
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

    /// Runs a handler with a container, which is closed when it returns.
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
