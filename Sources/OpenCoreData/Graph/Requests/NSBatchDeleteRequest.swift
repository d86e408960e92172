import SwormStore

/// The form of the result of a batch deletion.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// `true`: the request succeeded.
    case resultTypeStatusOnly = 0
    /// The ids of the deleted objects, including those that delete rules deleted, as `[NSManagedObjectID]`.
    case resultTypeObjectIDs = 1
    /// The number of objects that matched the request, as `Int`.
    case resultTypeCount = 2
}

/// A request that deletes all objects that a fetch request finds, with statements in the store.
///
/// A context executes it with ``NSManagedObjectContext/execute(_:)``, which returns an ``NSBatchDeleteResult``. It is
/// written immediately and bypasses the objects of all contexts: refresh the objects that may be deleted. All delete
/// rules are applied; a relationship that denies the deletion, or that must not be empty, makes the whole request fail.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    enum Choice {
        case found((CompiledModel) throws -> FetchSpecification)
        case listed([NSManagedObjectID])
    }

    final let choice: Choice
    private let template: () -> RequestTemplate

    /// The form of the result.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly
    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// The request for the objects to delete. It is a copy: changing it does not change the deletion.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(template())
        request.affectedStores = affectedStores
        return request
    }

    /// Creates a request that deletes the objects that a fetch request finds. Its predicate, order, limit and offset
    /// are applied.
    ///
    /// - Parameter fetch: A request, of which a copy is kept. It is evaluated when the deletion is executed.
    public convenience init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) { self.init(copying: fetch) }

    private init<ResultType>(copying fetch: NSFetchRequest<ResultType>) {
        let fetch = fetch.duplicate()
        choice = .found { try fetch.specification(in: $0) }
        template = { fetch.template }
        super.init()
        affectedStores = fetch.affectedStores
    }

    /// Creates a request that deletes the objects that a fetch request finds. Its predicate, order, limit and offset
    /// are applied.
    ///
    /// - Parameter fetch: A request, of which a copy is kept. It is evaluated when the deletion is executed.
    public convenience init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        self.init(copying: fetch)
    }

    /// Creates a request that deletes the objects with the given ids. Ids of objects that no longer exist are ignored.
    ///
    /// - Parameter objects: Ids of saved objects.
    public init(objectIDs objects: [NSManagedObjectID]) {
        choice = .listed(objects)
        template = {
            var template = RequestTemplate()
            template.entityName = objects.first?.entity.name
            template.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [objects])
            return template
        }
        super.init()
    }
}

/// The result of a batch deletion.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// The result, in the form of ``resultType``.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSBatchDeleteRequestResultType

    init(_ result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
