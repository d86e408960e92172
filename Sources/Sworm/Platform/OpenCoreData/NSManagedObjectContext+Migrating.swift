#if PostgreSQL && !canImport(CoreData)
import OpenCoreData
import SwormStore

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
