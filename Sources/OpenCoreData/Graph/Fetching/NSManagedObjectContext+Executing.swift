import Foundation
import SwormStore

extension NSManagedObjectContext {
    /// Executes a request that is sent to the stores and does not change the objects of the context.
    ///
    /// - Parameter request: An ``NSPersistentHistoryChangeRequest``, an ``NSBatchInsertRequest``, an
    ///   ``NSBatchUpdateRequest``, an ``NSBatchDeleteRequest`` or an ``NSAsynchronousFetchRequest``.
    /// - Returns: The ``NSPersistentHistoryResult``, ``NSBatchInsertResult``, ``NSBatchUpdateResult`` or
    ///   ``NSBatchDeleteResult``; or an ``NSAsynchronousFetchResult``, which has no results yet.
    /// - Throws: The error that prevents the request; `NSPersistentStoreUnsupportedRequestTypeError` for another kind
    ///   of request.
    @discardableResult
    public final func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        // A fetch that is executed later must not start on this thread, which may wait for the context's queue.
        if let request = request as? any AsynchronousRequest { return request.begin(in: self) }
        return try throwingCocoaErrors { try result(of: request) }
    }

    private func result(of request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
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
        if request.includesPendingChanges { processPendingChanges() }
        if !followsStores, ObservedName.objectsDidChange.mayBeObserved { followStores() }
    }
}
