#if canImport(CoreData)
import CoreData
#else
import Foundation
import OpenCoreData
import SwormSQLite
#endif

// The upkeep of a store's files.
extension Engine {
    #if canImport(CoreData)
    static func checkpoint(
        _ context: NSManagedObjectContext, _ mode: PersistentContainer.CheckpointMode, deadline: ContinuousClock.Instant?
    ) throws -> PersistentContainer.CheckpointResult {
        throw StoreError(
            .unsupported, "A checkpoint cannot be asked for on this platform: Core Data moves pages of the log by itself.")
    }
    #else
    static func checkpoint(
        _ context: NSManagedObjectContext, _ mode: PersistentContainer.CheckpointMode, deadline: ContinuousClock.Instant?
    ) throws -> PersistentContainer.CheckpointResult {
        var result = PersistentContainer.CheckpointResult(frames: 0, moved: 0)
        let token = InterruptToken()
        token.deadline = deadline
        for store in sqliteStores(of: context) {
            let (log, moved) = try store.checkpoint(mode.engineMode, token)
            result.frames += max(0, log)
            result.moved += max(0, moved)
        }
        return result
    }

    /// The stores of a context that have files of their own, or are in memory.
    static func sqliteStores(of context: NSManagedObjectContext) -> [SQLiteStore] {
        (context.coordinator?.persistentStores ?? []).compactMap { $0.objectStore as? SQLiteStore }
    }
    #endif
}

#if !canImport(CoreData)
extension PersistentContainer.CheckpointMode {
    fileprivate var engineMode: Connection.CheckpointMode {
        switch self {
        case .passive: .passive
        case .full: .full
        case .restart: .restart
        case .truncate: .truncate
        }
    }
}
#endif
