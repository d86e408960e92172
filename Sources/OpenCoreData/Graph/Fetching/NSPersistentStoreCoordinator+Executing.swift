import SwormStore

extension NSPersistentStoreCoordinator {
    /// Executes a request in a context of this coordinator.
    ///
    /// - Parameters:
    ///   - request: A fetch request, or a request that ``NSManagedObjectContext/execute(_:)`` accepts.
    ///   - context: A context of this coordinator.
    /// - Returns: The results of a fetch request as an array; otherwise the result of the context.
    /// - Throws: An error if the context uses another coordinator, and the errors of the context.
    public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        guard context.persistentStoreCoordinator === self else {
            return try throwingCocoaErrors {
                throw CoreDataError(
                    NSPersistentStoreOperationError,
                    "The context uses another coordinator. Execute the request with a context of this coordinator.")
            }
        }
        if let request = request as? any FetchableRequest { return try request.results(in: context) }
        return try context.execute(request)
    }
}

/// A fetch request, whatever the type of its results.
private protocol FetchableRequest {
    func results(in context: NSManagedObjectContext) throws -> Any
}

extension NSFetchRequest: FetchableRequest {
    fileprivate func results(in context: NSManagedObjectContext) throws -> Any { try context.fetch(self) }
}
