#if canImport(CoreData)
import CoreData
import Dispatch
import Foundation

/// Core Data writes only when it saves, so that there is nothing else to commit or to undo.
struct TransactionMarks {
    init(of context: NSManagedObjectContext) {}
}

// The names are those of OpenCoreData's methods. The methods do nothing unless documented otherwise, because Core Data
// writes only when it saves, its reads cannot be interrupted from outside, and it has no deadlines. Calls check their
// deadlines before they start and before they save.
extension NSManagedObjectContext {
    /// Pins the context to one state of its store, even if it has read objects before; with false, every read sees the
    /// latest state again.
    ///
    /// A store without query generations, such as one in memory, is read at its latest state; that is not an error.
    func pin(_ isPinned: Bool) throws {
        try? setQueryGenerationFrom(isPinned ? .current : nil)
        guard isPinned else { return }
        for object in registeredObjects where !object.hasChanges { refresh(object, mergeChanges: false) }
    }

    func beginPinnedSessions() throws {}
    func keepTransactions(_ areKept: Bool) {}
    // Core Data has neither settings nor locks of rows.
    func use(_ choice: TransactionChoice) {}
    func readOnly(_ isReading: Bool) {}
    func beginSerializable() throws {}
    func commitTransactions() throws {}
    func release(_ marks: TransactionMarks) throws {}
    func touch(_ object: NSManagedObject) {}

    /// Calls the closure, which reverts the unsaved changes of objects.
    func undoTransactions(restoring: () -> Void) { restoring() }

    /// Calls the closure, which reverts the unsaved changes of objects.
    func undoTransactions(to marks: TransactionMarks, restoring: () -> Void) throws { restoring() }

    /// Checks that the context can write, and that the request can run.
    func beginWriting(locking request: RequestContent, of entity: ModelEntity) throws {
        try beginWriting()
        try lock(request, of: entity)
    }

    /// Runs the request for one object, so that one that cannot run is an error as it is where rows are locked.
    func lock(_ request: RequestContent, of entity: ModelEntity) throws {
        var request = request
        request.limit = min(request.limit ?? 1, 1)
        _ = try fetchObjects(request, of: entity)
    }

    /// Checks that the context can write. Core Data has no write lock that could be acquired before a save; only the
    /// container's ``WriteTurn`` serializes writes.
    func beginWriting() throws {
        guard let coordinator = persistentStoreCoordinator, coordinator.persistentStores.count == 1 else {
            throw StoreError(
                .unsupported,
                "A write needs a context with exactly one store. Use one context for each store.")
        }
        if coordinator.persistentStores[0].isReadOnly {
            throw StoreError(.readOnly, "Cannot write: the store was opened read-only.")
        }
    }

    /// Whether the context holds the write lock of its store. Always false, because Core Data holds it only during a
    /// save.
    var isWriting: Bool { false }

    /// Runs a closure with exclusive access to the context.
    func hold<R>(until deadline: @autoclosure () -> ContinuousClock.Instant?, _ body: () throws -> R) throws -> R {
        try performAndWait(body)
    }

    /// Runs a closure with exclusive access to the context. Waits for it, because Core Data does not report whether
    /// another thread holds the context.
    func holdIfFree<R>(_ body: () throws -> R) rethrows -> R? { try performAndWait(body) }

    var blockQueue: DispatchQueue { DispatchQueue(label: "Sworm call") }

    func interruptReading() {}
    func resumeReading() {}
    func checkInterruption() throws {}

    var deadline: ContinuousClock.Instant? {
        get { nil }
        set {}
    }

    func stoppable<R>(_ isStoppable: Bool, _ body: () throws -> R) rethrows -> R { try body() }
}
#endif
