import Foundation
#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
import SwormSQLite
import SwormRows
import SwormStore
#endif

// Maintenance of a store's files.
extension Engine {
    /// How much of the write-ahead log a checkpoint moves.
    enum CheckpointMode { case passive, full, restart, truncate }

    #if canImport(CoreData)
    static func checkpoint(
        _ context: NSManagedObjectContext, _ mode: CheckpointMode, deadline: ContinuousClock.Instant?
    ) throws -> (frames: Int, moved: Int) {
        throw StoreError(
            .unsupported,
            "A checkpoint cannot be asked for on this platform: Core Data moves pages of the log by itself.")
    }

    /// Does nothing: Core Data writes its warnings to the console.
    static func listen(to context: NSManagedObjectContext, _ listener: @escaping @Sendable (any Error) -> Void) {}

    /// A store that was removed from its coordinator, and is to be added again.
    struct SuspendedStore: @unchecked Sendable {
        // The options are values that Core Data received before; they are never changed. Hence the unchecked
        // conformance.
        let type: String
        let configuration: String
        let url: URL
        let options: [AnyHashable: Any]?
    }

    static func close(_ context: NSManagedObjectContext, until end: ContinuousClock.Instant?) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Removes the stores from the coordinator, because only this makes Core Data release their files.
    static func suspend(
        _ stores: inout [SuspendedStore], of context: NSManagedObjectContext, stoppingAt stop: ContinuousClock.Instant,
        until end: ContinuousClock.Instant
    ) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores where store.type == NSSQLiteStoreType {
            guard let url = store.url, url.path != "/dev/null" else { continue }
            let suspended = SuspendedStore(
                type: store.type, configuration: store.configurationName, url: url, options: store.options)
            try coordinator.remove(store)
            stores.append(suspended)
        }
    }

    static func resume(_ stores: inout [SuspendedStore], of context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        while let next = stores.first {
            try coordinator.addPersistentStore(
                ofType: next.type, configurationName: next.configuration, at: next.url, options: next.options)
            stores.removeFirst()
        }
    }

    static func backup(
        _ context: NSManagedObjectContext, to url: URL, deadline: ContinuousClock.Instant?
    ) throws {
        throw StoreError(
            .unsupported,
            "A backup cannot be made this way on this platform. Use NSPersistentStoreCoordinator.replacePersistentStore with the store closed."
        )
    }
    #else
    static func checkpoint(
        _ context: NSManagedObjectContext, _ mode: CheckpointMode, deadline: ContinuousClock.Instant?
    ) throws -> (frames: Int, moved: Int) {
        var result = (frames: 0, moved: 0)
        let token = InterruptToken()
        token.deadline = deadline
        for store in sqliteStores(of: context) {
            let (log, moved) = try store.checkpoint(mode.ofStore, token: token)
            result.frames += max(0, log)
            result.moved += max(0, moved)
        }
        return result
    }

    /// Calls a closure with the warnings of a context's stores, as long as the stores are open.
    static func listen(to context: NSManagedObjectContext, _ listener: @escaping @Sendable (any Error) -> Void) {
        for store in sqliteStores(of: context) {
            _ = store.addWarningListener { listener(StoreError(.storeFailed, $0.message, cause: $0)) }
        }
    }

    /// A type without content: a store of this engine closes its files without being removed.
    struct SuspendedStore: Sendable {}

    /// Closes the stores of a context's coordinator, for all users of the coordinator.
    static func close(_ context: NSManagedObjectContext, until end: ContinuousClock.Instant?) throws {
        guard let coordinator = context.coordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store, until: end) }
    }

    /// Closes the files of a context's stores. Work that is still running at the time `stop` is interrupted, even that
    /// of other containers.
    static func suspend(
        _ stores: inout [SuspendedStore], of context: NSManagedObjectContext, stoppingAt stop: ContinuousClock.Instant,
        until end: ContinuousClock.Instant
    ) throws {
        for store in sqliteStores(of: context) { try store.suspend(stoppingAt: stop, until: end) }
    }

    static func resume(_ stores: inout [SuspendedStore], of context: NSManagedObjectContext) throws {
        for store in sqliteStores(of: context) { try store.resume() }
    }

    static func backup(
        _ context: NSManagedObjectContext, to url: URL, deadline: ContinuousClock.Instant?
    ) throws {
        let stores = sqliteStores(of: context)
        guard let store = stores.first, stores.count == 1 else {
            throw StoreError(
                .unsupported,
                "A backup copies one store; this container has \(stores.count). Back each up by a container of its own."
            )
        }
        let token = InterruptToken()
        token.deadline = deadline
        try store.backup(to: url, token)
    }

    /// Returns the SQLite stores of a context, with a file or in memory.
    static func sqliteStores(of context: NSManagedObjectContext) -> [SQLiteStore] {
        (context.coordinator?.persistentStores ?? []).compactMap { $0.objectStore as? SQLiteStore }
    }
    #endif
}

#if !canImport(CoreData)
extension Engine.CheckpointMode {
    fileprivate var ofStore: Connection.CheckpointMode {
        switch self {
        case .passive: .passive
        case .full: .full
        case .restart: .restart
        case .truncate: .truncate
        }
    }
}
#endif
