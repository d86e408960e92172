#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormSQLite
import SwormRows
import SwormStore

/// A type without content: a store of this engine closes its files without being removed.
struct SuspendedStore: Sendable {}

// The files of a context's stores.
extension NSManagedObjectContext {
    /// Moves committed changes from the write-ahead logs into the files.
    ///
    /// - Returns: The number of frames in the logs, and the number of frames that were moved.
    func checkpointStores(
        _ mode: StoreCheckpointMode, until deadline: ContinuousClock.Instant?
    ) throws -> (frames: Int, moved: Int) {
        var result = (frames: 0, moved: 0)
        let token = InterruptToken()
        token.deadline = deadline
        for store in sqliteStores {
            let (log, moved) = try store.checkpoint(mode.ofStore, token: token)
            result.frames += max(0, log)
            result.moved += max(0, moved)
        }
        return result
    }

    /// Calls a closure with the warnings of the stores, as long as the stores are open.
    func addWarningListener(_ listener: @escaping @Sendable (any Error) -> Void) {
        for store in sqliteStores {
            _ = store.addWarningListener { listener(StoreError(.storeFailed, $0.message, cause: $0)) }
        }
        #if PostgreSQL
        addServerWarningListener(listener)
        #endif
    }

    /// Closes the stores of the coordinator, for all users of the coordinator.
    func closeStores(until deadline: ContinuousClock.Instant?) throws {
        guard let coordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store, until: deadline) }
    }

    /// Closes the files of the stores, and the connections to servers. Work that is still running at the time `stop` is interrupted, even that of other
    /// containers.
    ///
    /// - Parameter stores: The stores that ``resumeStores(_:)`` needs.
    func suspendStores(
        _ stores: inout [SuspendedStore], stoppingAt stop: ContinuousClock.Instant,
        until deadline: ContinuousClock.Instant
    ) throws {
        for store in sqliteStores { try store.suspend(stoppingAt: stop, until: deadline) }
        #if PostgreSQL
        for store in serverStores { try store.suspend(stoppingAt: stop, until: deadline) }
        #endif
    }

    /// Opens suspended stores again.
    func resumeStores(_ stores: inout [SuspendedStore]) throws {
        for store in sqliteStores { try store.resume() }
        #if PostgreSQL
        for store in serverStores { try store.resume() }
        #endif
    }

    /// Copies the store.
    func backUpStore(to url: URL, until deadline: ContinuousClock.Instant?) throws {
        let stores = sqliteStores
        guard !stores.isEmpty else {
            throw StoreError(
                .unsupported,
                "A backup copies a store in a file or in memory. Copy a store on a server with pg_dump, or into a file with `sworm-tool copy`."
            )
        }
        guard let store = stores.first, stores.count == 1 else {
            throw StoreError(
                .unsupported,
                "A backup copies one store, but this container has \(stores.count). Use one container for each store."
            )
        }
        let token = InterruptToken()
        token.deadline = deadline
        try store.backup(to: url, token)
    }

    /// The SQLite stores of the context, with a file or in memory.
    private var sqliteStores: [SQLiteStore] {
        (coordinator?.persistentStores ?? []).compactMap { $0.objectStore as? SQLiteStore }
    }
}

extension StoreCheckpointMode {
    fileprivate var ofStore: Connection.CheckpointMode {
        switch self {
        case .passive: .passive
        case .full: .full
        case .restart: .restart
        case .truncate: .truncate
        }
    }
}

#if PostgreSQL
// The tables of a context's stores on servers.
extension NSManagedObjectContext {
    func migrateServerStores() throws {
        for store in try requiredServerStores() { try store.migrate() }
    }

    func serverMigrationPlan() throws -> [String] { try requiredServerStores().flatMap { try $0.migrationPlan() } }

    /// Calls a closure with the warnings of the stores, as long as the stores are open.
    func addServerWarningListener(_ listener: @escaping @Sendable (any Error) -> Void) {
        for store in serverStores {
            _ = store.addWarningListener { listener(StoreError(.storeFailed, $0.message, cause: $0)) }
        }
    }

    private var serverStores: [PostgresStore] {
        (coordinator?.persistentStores ?? []).compactMap { $0.objectStore as? PostgresStore }
    }

    private func requiredServerStores() throws -> [PostgresStore] {
        let stores = serverStores
        guard !stores.isEmpty else {
            throw StoreError(
                .unsupported,
                "Only a store on a server is migrated step by step. A store in a file is migrated when it is opened.")
        }
        return stores
    }
}
#endif
#endif
