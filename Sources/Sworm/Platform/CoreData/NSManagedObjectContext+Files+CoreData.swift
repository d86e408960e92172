#if canImport(CoreData)
import CoreData
import Foundation

/// A store that was removed from its coordinator, and is to be added again.
///
/// @unchecked: the options are values that Core Data received before; they are never changed.
struct SuspendedStore: @unchecked Sendable {
    let type: String
    let configuration: String
    let url: URL
    let options: [AnyHashable: Any]?
}

extension NSManagedObjectContext {
    func checkpointStores(
        _ mode: StoreCheckpointMode, until deadline: ContinuousClock.Instant?
    ) throws -> (frames: Int, moved: Int) {
        throw StoreError(
            .unsupported,
            "A checkpoint cannot be requested on this platform: Core Data checkpoints the log itself.")
    }

    /// Does nothing: Core Data writes its warnings to the console.
    func addWarningListener(_ listener: @escaping @Sendable (any Error) -> Void) {}

    func closeStores(until deadline: ContinuousClock.Instant?) throws {
        guard let coordinator = persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Removes the stores from the coordinator, because only this makes Core Data release their files.
    func suspendStores(
        _ stores: inout [SuspendedStore], stoppingAt stop: ContinuousClock.Instant,
        until deadline: ContinuousClock.Instant
    ) throws {
        guard let coordinator = persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores where store.type == NSSQLiteStoreType {
            guard let url = store.url, url.path != "/dev/null" else { continue }
            let suspended = SuspendedStore(
                type: store.type, configuration: store.configurationName, url: url, options: store.options)
            try coordinator.remove(store)
            stores.append(suspended)
        }
    }

    func resumeStores(_ stores: inout [SuspendedStore]) throws {
        guard let coordinator = persistentStoreCoordinator else { return }
        while let next = stores.first {
            try coordinator.addPersistentStore(
                ofType: next.type, configurationName: next.configuration, at: next.url, options: next.options)
            stores.removeFirst()
        }
    }

    func backUpStore(to url: URL, until deadline: ContinuousClock.Instant?) throws {
        throw StoreError(
            .unsupported,
            "A backup is not supported on this platform. Close the store, and use `NSPersistentStoreCoordinator.replacePersistentStore`."
        )
    }
}
#endif
