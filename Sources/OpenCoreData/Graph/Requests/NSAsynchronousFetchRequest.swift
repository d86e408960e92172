/// A closure that receives the result of an asynchronous fetch.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock =
    (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void

/// A fetch that a context executes later, on its queue.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book")) { result in
///     print(result.finalResult?.count ?? 0, result.operationError ?? "no error")
/// }
/// try context.execute(request)
/// ```
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// Executes the fetch in a context.
    final let fetch: (NSManagedObjectContext) throws -> [ResultType]
    private let request: NSPersistentStoreRequest
    /// The closure that is called on the context's queue, with the result, when the fetch has ended.
    public final let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// The number of results that the progress of the fetch expects; 0 if it is not known.
    open var estimatedResultCount = 0

    /// Creates an asynchronous fetch.
    ///
    /// - Parameters:
    ///   - request: The request. It must not be changed before the fetch has ended.
    ///   - blk: A closure that is called on the context's queue when the fetch has ended, also if it was cancelled.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) where ResultType: NSFetchRequestResult {
        self.request = request
        fetch = { try $0.fetch(request) }
        completionBlock = blk
        super.init()
        affectedStores = request.affectedStores
    }
}

extension NSAsynchronousFetchRequest where ResultType: NSFetchRequestResult {
    /// The request.
    public final var fetchRequest: NSFetchRequest<ResultType> {
        request as? NSFetchRequest<ResultType> ?? NSFetchRequest()
    }
}
