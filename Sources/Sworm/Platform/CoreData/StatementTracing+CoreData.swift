#if canImport(CoreData)
import CoreData

// Core Data does not expose its statements, and does not limit its readers.

enum OpeningOptions {
    static func tracing(_ report: (@Sendable (SQLTrace) -> Void)?, withValues: Bool) throws -> [String: Any] {
        guard report == nil else { throw StoreError.noStatements("trace statements") }
        return [:]
    }

    static func readers(_ count: Int?) throws -> [String: Any] {
        guard count == nil else {
            throw StoreError(
                .unsupported, "The number of readers cannot be limited on this platform. Do not set it.")
        }
        return [:]
    }

    /// The options for a store with a history, and with notifications of the changes by other processes.
    static var history: [String: Any] {
        [NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]
    }
}

extension NSManagedObjectContext {
    func observeStatements(
        withValues: Bool, _ report: @escaping @Sendable (SQLTrace) -> Void
    ) throws -> StatementObservation { throw StoreError.noStatements("count statements") }

    func explain(
        _ request: RequestContent, of entity: ModelEntity, isCount: Bool = false
    ) throws -> RequestExplanation { throw StoreError.noStatements("explain a request") }

    func explain(
        _ tree: ProjectionTree, of request: RequestContent, entity: ModelEntity
    ) throws -> RequestExplanation { throw StoreError.noStatements("explain a projection") }
}

extension StoreError {
    /// Returns the error for a feature that needs the statements of Core Data, which are not accessible.
    fileprivate static func noStatements(_ feature: String) -> StoreError {
        StoreError(
            .unsupported,
            "Cannot \(feature) on this platform: Core Data makes the statements and does not show them to programs. Start the "
                + "program with the argument `-com.apple.CoreData.SQLDebug 3` to print them with their query plans.")
    }
}
#endif
