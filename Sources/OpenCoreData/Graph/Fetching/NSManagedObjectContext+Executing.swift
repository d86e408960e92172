import Foundation
import SwormStore

extension NSManagedObjectContext {
    /// Executes a request. See ``execute(_:)``.
    final func result(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        // A fetch that is executed later must not start on this thread, which may wait for the context's queue.
        if let request = request as? any AsynchronousRequest { return request.begin(in: self) }
        lock.lock()
        defer { lock.unlock() }
        if let request = request as? NSPersistentHistoryChangeRequest { return try executeHistory(request) }
        if let request = request as? NSBatchInsertRequest { return try batches.execute(request) }
        if let request = request as? NSBatchUpdateRequest { return try batches.execute(request) }
        if let request = request as? NSBatchDeleteRequest { return try batches.execute(request) }
        throw CoreDataError(
            NSPersistentStoreUnsupportedRequestTypeError,
            "A context cannot execute a \(type(of: request)). Use an NSPersistentHistoryChangeRequest, an NSBatchInsertRequest, an NSBatchUpdateRequest, an NSBatchDeleteRequest or an NSAsynchronousFetchRequest, or pass an NSFetchRequest to `fetch(_:)`."
        )
    }
}

extension NSManagedObjectContext {
    /// Processes pending changes before a fetch that includes them.
    final func beginFetch<Result>(_ request: NSFetchRequest<Result>) {
        if request.includesPendingChanges { processEvents() }
        if !followsStores, ObservedName.objectsDidChange.mayBeObserved { followStores() }
    }
}
