import SwormStore

extension NSFetchRequest {
    /// Executes the request in the context whose `perform` or `performAndWait` block is running.
    ///
    /// - Returns: Managed objects, ids or a count.
    /// - Throws: The errors of ``NSManagedObjectContext/fetch(_:)``, and an error outside of a context's block.
    public func execute() throws -> [ResultType] {
        try throwingCocoaErrors {
            guard let context = CurrentContext.value else {
                throw CoreDataError(
                    NSCoreDataError,
                    "A fetch request can execute itself only inside a context's perform or performAndWait. Use `fetch(_:)` of the context."
                )
            }
            return try context.fetch(self)
        }
    }
}
