/// A closure that receives the result of an asynchronous fetch.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock =
    (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void

/// A fetch that a context executes later, on its queue.
///
/// ```swift
/// let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
/// let request = NSAsynchronousFetchRequest(fetchRequest: books) { result in
///     print(result.finalResult?.count ?? 0)
/// }
/// try context.execute(request)
/// ```
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// The request. It must not be changed before the fetch has ended.
    public final let fetchRequest: NSFetchRequest<ResultType>
    /// The closure that is called on the context's queue, with the result, when the fetch has ended.
    public final let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
    /// The number of results that the progress of the fetch expects; 0 if it is not known.
    open var estimatedResultCount = 0

    /// Creates an asynchronous fetch.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - blk: A closure that is called on the context's queue when the fetch has ended, also if it was cancelled.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>,
        completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        fetchRequest = request
        completionBlock = blk
        super.init()
    }
}
