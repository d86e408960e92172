import Foundation

/// The result of an ``NSAsynchronousFetchRequest``, which the context completes later, on its queue.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult, @unchecked Sendable {
    // As in the superclass, the request and its results are used on the context's queue.

    /// The request.
    public final let fetchRequest: NSAsynchronousFetchRequest<ResultType>
    /// The results; nil if the fetch has not ended, or ended with an error. Use them on the context's queue.
    public private(set) final var finalResult: [ResultType]?

    init(_ request: NSAsynchronousFetchRequest<ResultType>, in context: NSManagedObjectContext) {
        fetchRequest = request
        super.init(in: context, expecting: request.estimatedResultCount)
    }

    /// Executes the fetch. Called on the context's queue.
    final func complete() {
        finalResult = run { try managedObjectContext.fetch(fetchRequest.fetchRequest) }
        if let progress, !progress.isCancelled {
            if let count = finalResult?.count, count > 0 { progress.totalUnitCount = Int64(count) }
            progress.completedUnitCount = progress.totalUnitCount
        }
        fetchRequest.completionBlock?(self)
    }
}

/// A request that a context executes later.
protocol AsynchronousRequest: NSPersistentStoreRequest {
    /// Starts the request, and returns its result without waiting for it.
    func begin(in context: NSManagedObjectContext) -> NSPersistentStoreAsynchronousResult
}

extension NSAsynchronousFetchRequest: AsynchronousRequest {
    final func begin(in context: NSManagedObjectContext) -> NSPersistentStoreAsynchronousResult {
        let result = NSAsynchronousFetchResult(self, in: context)
        context.perform { result.complete() }
        return result
    }
}
